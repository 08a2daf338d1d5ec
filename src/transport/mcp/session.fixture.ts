import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallResult, CallRequest, Calls, Change, ListedTool } from '#core/calls/calls.ts';
import { failureEnvelope } from '#core/calls/envelope.ts';
import type { Tool } from '#core/tools/tool.ts';
import { reason } from '#core/messages/reasons.ts';
import { createListLog, type ListLog } from '../../../test/list-log.ts';
import type { Channel } from '../channel.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { sinkOverChannel, type McpSession } from './mcp-sink.ts';
import { createMcpSession, type McpContext, type McpDeps } from './mcp-session.ts';
import { createServerInfo } from './server-info.ts';

export interface MemoryChannel extends Channel {
  isClear: boolean;
  readonly sent: string[];
  readonly closed: { code: number; reason: string }[];
  /** What was sent so far, read, and forgotten. */
  take(): unknown[];
  /** Resolves when so many messages are there, and takes them. */
  next(count: number): Promise<unknown[]>;
}

export function createMemoryChannel(): MemoryChannel {
  let waiting: (() => void) | undefined;
  const channel: MemoryChannel = {
    transport: 'ws',
    isClear: true,
    sent: [],
    closed: [],
    send(text) {
      channel.sent.push(text);
      waiting?.();
    },
    close: (code, reason) => void channel.closed.push({ code, reason }),
    take: () => channel.sent.splice(0).map((text) => JSON.parse(text) as unknown),
    async next(count) {
      while (channel.sent.length < count) await new Promise<void>((done) => (waiting = done));
      return channel.take();
    },
  };
  return channel;
}

export interface StartedCall {
  readonly request: CallRequest;
  cancelledWith: CallError | 'nothing' | undefined;
  /** Its client gave up, and it went on. */
  isHandedOff: boolean;
  answer(answer: CallResult): void;
}

export interface TestCalls extends Calls {
  readonly started: StartedCall[];
  /** How many listen for changes of the list. */
  readonly listeners: number;
  change(change?: Change): void;
  /** Forbidden tools. */
  readonly denied: Set<string>;
  /** Whether what the caller came in with is still good. */
  isGood: boolean;
}

export const CALLER: Caller = { principal: 'local', scopes: ['*'], roots: [] };

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function listed(name: string): ListedTool {
  const inputSchema = { type: 'object', properties: {} };
  return {
    name,
    title: name,
    description: `The tool ${name}.`,
    inputSchema,
    annotations: ANNOTATIONS,
  };
}

/**
 * `echo` gives its arguments back at once; `wait` until the test answers it, and so does
 * `job_result`, which is not listed and is never detached; others do not exist.
 */
export function createTestCalls(): TestCalls {
  const tools = [listed('echo'), listed('wait')];
  const started: StartedCall[] = [];
  const listeners = new Set<(change: Change) => void>();
  let count = 0;
  const known = [...tools, { ...listed('job_result'), background: 'never' }];
  const find = (name: string) => known.find((tool) => tool.name === name) as Tool | undefined;
  const calls: TestCalls = {
    started,
    denied: new Set(),
    isGood: true,
    get listeners() {
      return listeners.size;
    },
    change(change = { list: 'tools' }) {
      for (const listener of listeners) listener(change);
    },
    start(request) {
      const reqId = `req_${++count}` as const;
      let answer: StartedCall['answer'] = () => undefined;
      const promise = new Promise<CallResult>((resolve) => (answer = resolve));
      const call: StartedCall = { request, cancelledWith: undefined, isHandedOff: false, answer };
      started.push(call);
      if (!find(request.tool)) answer(failure(request.tool, reqId, unknownTool(request.tool)));
      else if (request.tool === 'echo') answer(success('echo', reqId, request.args));
      return {
        reqId,
        answer: promise,
        cancel(error) {
          call.cancelledWith = error ?? 'nothing';
          answer(failure(request.tool, reqId, error ?? new CallError('cancelled', 'Cancelled.')));
        },
        extend: () => undefined,
        ...(request.background && { detach: () => void (call.isHandedOff = true) }),
      };
    },
    accepts: () => true,
    list: () =>
      calls.isGood
        ? { version: '1', tools, json: JSON.stringify(tools) }
        : { version: '', tools: [], json: '[]' },
    find,
    decide: (_caller, tool) =>
      calls.denied.has(tool)
        ? { verdict: 'deny', reasons: [reason('no_scope', { client: 'ide', tool })] }
        : { verdict: 'allow', reasons: [] },
    page: (_caller, kind, cursor) =>
      cursor === undefined
        ? { json: JSON.stringify(kind === 'tools' ? tools : []), next: undefined }
        : undefined,
    complete: (_caller, { value }) => Promise.resolve([`${value}-one`, `${value}-two`]),
    canWatch: (_caller, uri) => uri.startsWith('test://'),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load: () => ({ running: 0, waitingForProvider: 0, waiting: 0, capacity: 1 }),
  };
  return calls;
}

function unknownTool(name: string): CallError {
  return new CallError('not_found', `There is no tool "${name}"; did you mean "echo"?`);
}

export function success(tool: string, reqId: string, content: unknown): CallResult {
  return {
    envelope: { status: 'success', tool, attempt: 0, req_id: reqId, content },
    text: JSON.stringify(content),
  };
}

export function failure(tool: string, reqId: string, error: CallError): CallResult {
  return { envelope: failureEnvelope(error, { tool, req_id: reqId }), text: error.message, error };
}

export interface TestSession {
  readonly session: McpSession;
  readonly clock: FakeClock;
  readonly channel: MemoryChannel;
  readonly calls: TestCalls;
  readonly log: ListLog;
  /** Sends one message, as the client. */
  readonly say: (message: unknown) => void;
}

export function createTestSession(
  options: { about?: Partial<McpContext>; calls?: TestCalls; deps?: Partial<McpDeps> } = {},
): TestSession {
  const { calls = createTestCalls() } = options;
  const channel = createMemoryChannel();
  const log = createListLog();
  const clock = createFakeClock();
  const about = { caller: CALLER, session: 's1', transport: 'ws', ...options.about };
  const serverInfo = createServerInfo('1.2.3', 'Ask it anything.');
  const session = createMcpSession(sinkOverChannel(channel), about, {
    calls,
    clock,
    log,
    serverInfo: () => serverInfo,
    watching: { chars: 0 },
    ...options.deps,
  });
  const say = (message: unknown) => session.onMessage(JSON.stringify(message));
  return { session, clock, channel, calls, log, say };
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const SERVER_META = {
  'io.modelcontextprotocol/serverInfo': { name: 'exai', title: 'EX-AI', version: '1.2.3' },
};

export function request(id: unknown, method: string, params?: unknown): unknown {
  return { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) };
}

export function notification(method: string, params?: unknown): unknown {
  return { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
}

const BEGINNING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

export const INITIALIZE = request(0, 'initialize', BEGINNING);

export function rpcError(id: unknown, code: number): unknown {
  return { jsonrpc: '2.0', id, error: expect.objectContaining({ code }) as unknown };
}
