import type { Envelope } from '#core/calls/envelope.schema.ts';
import { ENVELOPE_KEY } from '#mcp/meta-keys.ts';
import type { Message } from './wire.ts';

/**
 * What a call is to be asked before it can go on, by names; and what it must be given back then.
 */
export interface Asks {
  readonly requests: Readonly<Record<string, Question>>;
  readonly state: string;
}

export interface ReceivedTask {
  readonly id: string;
  readonly status: string;
  readonly asks: readonly string[];
}

export type TaskMethod = 'get' | 'update' | 'cancel';

export interface Question {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * What a client understands of a message: the answer to something it asked, a question to it, or
 * anything else.
 */
export type ReceivedMessage =
  | {
      readonly is: 'answer';
      readonly id: string;
      /** Of calls that ran. */
      readonly tool?: string;
      readonly reqId?: string;
      readonly ended: 'well' | 'badly';
      /** It is no answer yet. */
      readonly asks?: Asks;
      /** It is about a job; `running` where that is still under way. */
      readonly job?: { readonly id: string; readonly status: string };
      /** It is about a task, which asks this by names. */
      readonly task?: ReceivedTask;
      /** The state that came with the call was refused; `used`: what it allows has happened. */
      readonly stateRefused?: 'bad' | 'used';
    }
  | { readonly is: 'question'; readonly id: string; readonly question: Question }
  /** A question is taken back. */
  | { readonly is: 'withdrawn'; readonly id: string }
  | { readonly is: 'progress'; readonly token: unknown }
  /** How a task stands that it wants to hear of. */
  | { readonly is: 'task-news'; readonly task: ReceivedTask }
  | { readonly is: 'other' };

/** What a client says when it makes a call again, or how it wants it done. */
export interface Again {
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly state?: string;
  readonly wish?: HandoffChoice;
}

/**
 * `background`: it is to be begun and no more. `wait`: its answer is waited for, however long it
 * takes.
 */
export type HandoffChoice = 'background' | 'wait';

/** How a client puts things. */
export interface ClientProtocol {
  /** What must be said first. */
  hello(token: string | undefined): readonly string[];
  call(id: string, tool: string, args: unknown, again?: Again): string;
  /** `time`: because it takes too long. */
  cancel(id: string, why?: 'wish' | 'time'): string;
  /** By the extension for tasks, where it has it. */
  task?(id: string, method: TaskMethod, taskId: string, answers?: object): string;
  /** Asks for something else than a call; with an id where answers have one. */
  list(id: string): string;
  garbage: readonly string[];
  hear(message: Message): ReceivedMessage;
  /** The id that a message of ours cancels. */
  cancelled(text: string): string | undefined;
  /** Whether that was because it took too long. */
  gaveUp(text: string): boolean;
  /** What becomes of a call that is cancelled, and of one whose id is in use. */
  readonly afterCancel: 'no-answer' | 'answer';
  readonly duplicate: 'answered' | 'ignored';
  readonly listIsAnswered: boolean;
}

/** What a client can be asked. */
export type Can = 'nothing' | 'forms' | 'all';

export const CAPABILITIES: Readonly<Record<Can, object>> = {
  nothing: {},
  forms: { elicitation: {} },
  all: { elicitation: {}, sampling: {}, roots: {} },
};

const OTHER: ReceivedMessage = { is: 'other' };

type Era = 'modern' | 'legacy';

export const MODERN_VERSION = '2026-07-28';

export function initializeText(id: string | number, protocolVersion: string, can: Can): string {
  const clientInfo = { name: 'sim', version: '1' };
  const params = { protocolVersion, capabilities: CAPABILITIES[can], clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
}

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** Whether a client follows tasks by itself. */
export type Follows = 'tasks' | 'nothing';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

function mcp(era: Era, can: Can, follows: Follows = 'nothing'): ClientProtocol {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {
      ...CAPABILITIES[can],
      ...(follows === 'tasks' && TASKS),
    },
  };
  const isTold = era === 'modern' || can !== 'nothing';
  const request = (id: string, method: string, params: object, wish?: HandoffChoice) => {
    const about = {
      ...(era === 'modern' && meta),
      ...(isTold && { progressToken: id }),
      ...(wish && { [`exai/${wish}`]: true }),
    };
    const whole = isTold || wish ? { ...params, _meta: about } : params;
    return JSON.stringify({ jsonrpc: '2.0', id, method, params: whole });
  };
  return {
    hello: () =>
      // Whoever can be asked nothing need not introduce itself.
      era === 'modern' || can === 'nothing'
        ? []
        : [initializeText(0, '2025-11-25', can), INITIALIZED],
    call(id, name, args, { answers, state, wish } = {}) {
      const params = {
        name,
        arguments: args,
        ...(answers && { inputResponses: answers }),
        ...(state !== undefined && { requestState: state }),
      };
      return request(id, 'tools/call', params, wish);
    },
    ...(follows === 'tasks' && {
      task: (id: string, method: TaskMethod, taskId: string, answers?: object) =>
        request(id, `tasks/${method}`, { taskId, ...(answers && { inputResponses: answers }) }),
    }),
    cancel(requestId, why) {
      const params = { requestId, ...(why === 'time' && { reason: TIMED_OUT }) };
      return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    },
    list: (id) => request(id, 'tools/list', {}),
    garbage: ['{', '[]', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"1.0","id":1}'],
    hear: hearMcp,
    cancelled: (text) => /"notifications\/cancelled".*"requestId":"([^"]+)"/.exec(text)?.[1],
    gaveUp: (text) => text.includes(TIMED_OUT),
    afterCancel: 'no-answer',
    duplicate: 'answered',
    listIsAnswered: true,
  };
}

const TIMED_OUT = 'Request timed out';
const NO_GOOD = 'This requestState is no good';

interface McpMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message?: string };
}

function hearMcp(message: Message): ReceivedMessage {
  const { id, method, params, result, error } = message as McpMessage;
  if (method === 'notifications/progress')
    return { is: 'progress', token: params?.['progressToken'] };
  if (method === 'notifications/cancelled')
    return { is: 'withdrawn', id: String(params?.['requestId']) };
  const { task } = method === 'notifications/tasks' ? heardTask(params ?? {}) : {};
  if (task) return { is: 'task-news', task };
  if (typeof id !== 'string') return OTHER;
  if (method !== undefined)
    return { is: 'question', id, question: { method, ...(params && { params }) } };
  if (!(result ?? error)) return OTHER;
  const { _meta: meta, isError, inputRequests, requestState } = result ?? {};
  const envelope = (meta as Readonly<Record<string, unknown>> | undefined)?.[ENVELOPE_KEY];
  const asks =
    inputRequests && typeof requestState === 'string'
      ? { requests: inputRequests as Asks['requests'], state: requestState }
      : undefined;
  return {
    ...heard(id, envelope, error || isError ? 'badly' : 'well'),
    ...(asks && { asks }),
    ...heardTask(result ?? {}),
    ...(error?.message?.includes(NO_GOOD) && {
      stateRefused: error.message.includes('was used already') ? 'used' : 'bad',
    }),
  };
}

/** A call that goes on as a task, or how one stands. */
function heardTask(
  result: Readonly<Record<string, unknown>>,
): Pick<ReceivedMessage & { is: 'answer' }, 'task' | 'job'> {
  const { taskId: id, status, inputRequests, resultType } = result;
  if (typeof id !== 'string') return {};
  const asks = Object.keys((inputRequests ?? {}) as object);
  const task: ReceivedTask = { id, status: String(status), asks };
  return { task, ...(resultType === 'task' && { job: { id, status: 'task' } }) };
}

const exai: ClientProtocol = {
  hello: (token) => [JSON.stringify({ op: 'hello', session_id: 's', token: token ?? '' })],
  call: (request_id, name, args) =>
    JSON.stringify({ op: 'call_tool', request_id, name, arguments: args }),
  cancel: (request_id) => JSON.stringify({ op: 'cancel', request_id }),
  list: () => '{"op":"list_tools"}',
  garbage: ['{', '[]', '{"op":7}', '{"op":"helo"}', '{"op":"call_tool"}', '{"op":"health"}'],
  hear(message) {
    const { op, request_id: id, envelope, error } = message;
    if (op !== 'call_tool_res' || typeof id !== 'string') return OTHER;
    return heard(id, envelope, error ? 'badly' : 'well');
  },
  cancelled: (text) => /^{"op":"cancel","request_id":"([^"]+)"/.exec(text)?.[1],
  gaveUp: () => false,
  afterCancel: 'answer',
  duplicate: 'ignored',
  listIsAnswered: false,
};

function heard(
  id: string,
  envelope: unknown,
  ended: 'well' | 'badly',
): ReceivedMessage & { is: 'answer' } {
  const { tool, req_id, status, job } = (envelope ?? {}) as Partial<Envelope>;
  return {
    is: 'answer',
    id,
    ended,
    ...(tool !== undefined && { tool }),
    ...(req_id !== undefined && { reqId: req_id }),
    ...(job && { job: { id: job.id, status: status ?? '' } }),
  };
}

export const CLIENT_PROTOCOLS = {
  modern: mcp('modern', 'nothing'),
  legacy: mcp('legacy', 'nothing'),
  exai,
} as const;
export type ClientProtocolName = keyof typeof CLIENT_PROTOCOLS;

const ABLE = {
  modern: {
    nothing: CLIENT_PROTOCOLS.modern,
    forms: mcp('modern', 'forms'),
    all: mcp('modern', 'all'),
  },
  legacy: {
    nothing: CLIENT_PROTOCOLS.legacy,
    forms: mcp('legacy', 'forms'),
    all: mcp('legacy', 'all'),
  },
} as const;

const FOLLOWING = {
  nothing: mcp('modern', 'nothing', 'tasks'),
  forms: mcp('modern', 'forms', 'tasks'),
  all: mcp('modern', 'all', 'tasks'),
} as const;

export function clientProtocolOf(
  name: ClientProtocolName,
  can: Can,
  follows: Follows = 'nothing',
): ClientProtocol {
  if (name === 'modern' && follows === 'tasks') return FOLLOWING[can];
  return name === 'exai' ? exai : ABLE[name][can];
}
