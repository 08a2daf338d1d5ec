import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallResult, CallRequest, Calls, ToolList } from '#core/calls/calls.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Tool } from '#core/tools/tool.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import type { Channel, ConnectionInfo } from '../channel.ts';
import { createExaiSession, type ExaiDeps } from './exai-session.ts';

export const CALLER: Caller = { principal: 'local', scopes: ['*'], roots: [] };

export type SentFrame = Record<string, unknown> & { op: string };

/** A line whose other end is the test. */
export function createFakeChannel(transport: Channel['transport'] = 'ws') {
  const sent: SentFrame[] = [];
  const state = { isClear: true, closed: undefined as [number, string] | undefined };
  const channel: Channel = {
    transport,
    get isClear() {
      return state.isClear;
    },
    send: (text) => void sent.push(JSON.parse(text) as SentFrame),
    close: (code, reason) => void (state.closed ??= [code, reason]),
  };
  /** What was sent since the last look. */
  const take = () => sent.splice(0);
  return { channel, state, take };
}

export interface FakeCall {
  readonly request: CallRequest;
  readonly wasCancelled: boolean;
  admit(timeoutMs?: number): void;
  answer(answer?: Partial<CallResult>): void;
  fail(error: CallError): void;
}

/** A life of calls that the test leads by hand; a cancelled one is answered as such. */
export function createFakeCalls() {
  const started: FakeCall[] = [];
  const list = listOf('status');
  const calls: Calls = {
    start(request) {
      let settle: (answer: CallResult) => void = () => {};
      const answer = new Promise<CallResult>((resolve) => (settle = resolve));
      const envelope = {
        status: 'success',
        tool: request.tool,
        attempt: 0,
        req_id: `req_${started.length}`,
        content: null,
      };
      const fail = (error: CallError) =>
        settle({
          envelope: { ...envelope, status: 'error', error_class: error.class },
          text: error.message,
          error,
        });
      const call = {
        request,
        wasCancelled: false,
        admit: (timeoutMs = 90_000) => request.onAdmitted?.({ timeoutMs }),
        answer: (given: Partial<CallResult> = {}) => settle({ envelope, text: 'done', ...given }),
        fail,
      };
      started.push(call);
      const cancel = () => {
        call.wasCancelled = true;
        fail(new CallError('cancelled', 'The call was cancelled.'));
      };
      return { reqId: `req_${started.length}`, answer, cancel, extend: () => {} };
    },
    accepts: () => true,
    list: () => list,
    find: (name) =>
      name.replace('_EXAI-WS', '') === 'status' ? ({ name: 'status' } as Tool) : undefined,
    decide: () => ({ verdict: 'allow', reasons: [] }),
    page: () => undefined,
    complete: () => Promise.resolve([]),
    canWatch: () => false,
    onChange: () => () => undefined,
    load: () => ({ running: 0, waitingForProvider: 0, waiting: 0, capacity: 24 }),
  };
  return { calls, started };
}

export function listOf(name: string): ToolList {
  const hints = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const tool = {
    name,
    title: name,
    description: 'Says how it is.',
    inputSchema: { type: 'object' },
    annotations: hints,
  };
  return { version: name, tools: [tool], json: JSON.stringify([tool]) };
}

export const OPENING: ConnectionInfo = {
  session: 'session-1',
  token: undefined,
  protocol: undefined,
};

/** A session with fake dependencies, before its hello. */
export function openExai(
  options: Partial<ExaiDeps> & { opening?: ConnectionInfo; transport?: Channel['transport'] } = {},
) {
  const clock = createFakeClock();
  const line = createFakeChannel(options.transport);
  const fake = createFakeCalls();
  const logged: string[] = [];
  const note = (event: string) => void logged.push(event);
  const log: Log = { info: note, warn: note, error: note, with: () => log };
  const authenticator: Authenticator = {
    authenticate: () => Promise.resolve(CALLER),
    rotate: () => Promise.resolve({ graceMs: 300_000, kept: true }),
  };
  const deps: ExaiDeps = {
    calls: fake.calls,
    authenticator,
    clock,
    newUuid: () => 'a-fresh-uuid',
    log,
    helloTimeoutMs: 15_000,
    progressIntervalMs: 8000,
    inlineWaitMs: 45_000,
    maxTokens: 25_000,
    compatText: true,
    health: () => ({
      t: clock.now() / 1000,
      uptime_human: '1 s',
      sessions: 1,
      global_capacity: 24,
      global_inflight: 0,
      tool_count: 1,
    }),
    ...options,
  };
  const session = createExaiSession(line.channel, options.opening ?? OPENING, deps);
  const say = (frame: unknown) =>
    session.onMessage(typeof frame === 'string' ? frame : JSON.stringify(frame));
  return { ...line, ...fake, clock, session, say, logged };
}

/** As `openExai`, with the hello behind it. */
export async function welcomedExai(options: Parameters<typeof openExai>[0] = {}) {
  const opened = openExai(options);
  opened.say({ op: 'hello' });
  await settled();
  opened.take();
  return opened;
}

/** Lets every resolved promise continue. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 10; round++) await Promise.resolve();
}
