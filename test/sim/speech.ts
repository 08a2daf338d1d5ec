import type { Message } from './wire.ts';

/** What a call is to be asked before it can go on, by names; and what it must be given back then. */
export interface Asks {
  readonly requests: Readonly<Record<string, Question>>;
  readonly state: string;
}

export interface Question {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a client understands of a message: the answer to something it asked, a question to it, or anything else. */
export type Heard =
  | {
      readonly is: 'answer';
      readonly id: string;
      /** Of calls that ran. */
      readonly tool?: string;
      readonly reqId?: string;
      readonly ended: 'well' | 'badly';
      /** It is no answer yet. */
      readonly asks?: Asks;
      /** The state that came with the call was refused; `used`: what it allows has happened. */
      readonly stateRefused?: 'bad' | 'used';
    }
  | { readonly is: 'question'; readonly id: string; readonly question: Question }
  /** A question is taken back. */
  | { readonly is: 'withdrawn'; readonly id: string }
  | { readonly is: 'progress'; readonly token: unknown }
  | { readonly is: 'other' };

/** What a client says when it makes a call again. */
export interface Again {
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly state?: string;
}

/** How a client puts things. */
export interface Speech {
  /** What must be said first. */
  hello(token: string | undefined): readonly string[];
  call(id: string, tool: string, args: unknown, again?: Again): string;
  cancel(id: string): string;
  /** Asks for something else than a call; with an id where answers have one. */
  list(id: string): string;
  garbage: readonly string[];
  hear(message: Message): Heard;
  /** The id that a message of ours cancels. */
  cancelled(text: string): string | undefined;
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

const OTHER: Heard = { is: 'other' };

type Era = 'modern' | 'legacy';

export const MODERN_VERSION = '2026-07-28';

export function initializeText(id: string | number, protocolVersion: string, can: Can): string {
  const clientInfo = { name: 'sim', version: '1' };
  const params = { protocolVersion, capabilities: CAPABILITIES[can], clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
}

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

function mcp(era: Era, can: Can): Speech {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES[can],
  };
  const isTold = era === 'modern' || can !== 'nothing';
  const request = (id: string, method: string, params: object) => {
    const about = { ...(era === 'modern' && meta), ...(isTold && { progressToken: id }) };
    const whole = isTold ? { ...params, _meta: about } : params;
    return JSON.stringify({ jsonrpc: '2.0', id, method, params: whole });
  };
  return {
    hello: () =>
      // Whoever can be asked nothing need not introduce itself.
      era === 'modern' || can === 'nothing'
        ? []
        : [initializeText(0, '2025-11-25', can), INITIALIZED],
    call: (id, name, args, { answers, state } = {}) =>
      request(id, 'tools/call', {
        name,
        arguments: args,
        ...(answers && { inputResponses: answers }),
        ...(state !== undefined && { requestState: state }),
      }),
    cancel: (requestId) =>
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    list: (id) => request(id, 'tools/list', {}),
    garbage: ['{', '[]', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"1.0","id":1}'],
    hear: hearMcp,
    cancelled: (text) => /"notifications\/cancelled".*"requestId":"([^"]+)"/.exec(text)?.[1],
    afterCancel: 'no-answer',
    duplicate: 'answered',
    listIsAnswered: true,
  };
}

const NO_GOOD = 'This requestState is no good';

interface McpMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message?: string };
}

function hearMcp(message: Message): Heard {
  const { id, method, params, result, error } = message as McpMessage;
  if (method === 'notifications/progress')
    return { is: 'progress', token: params?.['progressToken'] };
  if (method === 'notifications/cancelled')
    return { is: 'withdrawn', id: String(params?.['requestId']) };
  if (typeof id !== 'string') return OTHER;
  if (method !== undefined)
    return { is: 'question', id, question: { method, ...(params && { params }) } };
  if (!(result ?? error)) return OTHER;
  const { structuredContent: envelope, isError, inputRequests, requestState } = result ?? {};
  const asks = inputRequests
    ? { requests: inputRequests as Asks['requests'], state: String(requestState) }
    : undefined;
  return {
    ...heard(id, envelope, error || isError ? 'badly' : 'well'),
    ...(asks && { asks }),
    ...(error?.message?.includes(NO_GOOD) && {
      stateRefused: error.message.includes('was used already') ? 'used' : 'bad',
    }),
  };
}

const exai: Speech = {
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
  afterCancel: 'answer',
  duplicate: 'ignored',
  listIsAnswered: false,
};

function heard(id: string, envelope: unknown, ended: 'well' | 'badly'): Heard & { is: 'answer' } {
  const { tool, req_id } = (envelope ?? {}) as { tool?: string; req_id?: string };
  return {
    is: 'answer',
    id,
    ended,
    ...(tool !== undefined && { tool }),
    ...(req_id !== undefined && { reqId: req_id }),
  };
}

export const SPEECHES = {
  modern: mcp('modern', 'nothing'),
  legacy: mcp('legacy', 'nothing'),
  exai,
} as const;
export type SpeechName = keyof typeof SPEECHES;

const ABLE = {
  modern: { nothing: SPEECHES.modern, forms: mcp('modern', 'forms'), all: mcp('modern', 'all') },
  legacy: { nothing: SPEECHES.legacy, forms: mcp('legacy', 'forms'), all: mcp('legacy', 'all') },
} as const;

export function speechOf(name: SpeechName, can: Can): Speech {
  return name === 'exai' ? exai : ABLE[name][can];
}
