import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel, Opening, Session } from '../channel.ts';
import { createCallTable } from './call-table.ts';
import { errorFrame, frame } from './frames.ts';
import { operate, type ExaiHealth, type Greeted } from './ops.ts';
import { readFrame, type Frame } from './read-frame.ts';

export interface ExaiDeps {
  readonly calls: Calls;
  readonly doorman: Doorman;
  readonly clock: Clock;
  newUuid(): string;
  readonly log: Log;
  readonly helloTimeoutMs: number;
  readonly progressIntervalMs: number;
  readonly inlineWaitMs: number;
  readonly maxTokens: number;
  /** Whether answers carry their text beside `outputs`, for older clients. */
  readonly compatText: boolean;
  health(): ExaiHealth;
}

type Phase =
  | { readonly is: 'new' }
  | { readonly is: 'identifying'; readonly held: string[]; chars: number }
  | { readonly is: 'greeted'; readonly session: Greeted }
  | { readonly is: 'closed' };

// What a client may send while we look at its token.
const MAX_HELD = 1024;
const MAX_HELD_CHARS = 32 * 1024 * 1024;

/** One client that speaks EXAI frames: JSON objects with an `op`, a hello first, then any number of calls at once. */
export function createExaiSession(channel: Channel, opening: Opening, deps: ExaiDeps): Session {
  const { calls, doorman, clock, log } = deps;
  const table = createCallTable(channel, opening.session, deps);
  let phase: Phase = { is: 'new' };
  let hasEnded = false;
  const helloTimer = clock.after(deps.helloTimeoutMs, () => close(4002, 'No hello in time.'));

  function close(code: number, reason: string): void {
    phase = { is: 'closed' };
    helloTimer.stop();
    channel.close(code, reason);
  }

  function refuseHello(error: string, code: number): void {
    channel.send(frame('hello_ack', { ok: false, error }));
    close(code, error);
  }

  function greet(text: string): void {
    const reading = readFrame(text);
    if (reading.is !== 'frame') return refuseHello('invalid_hello', 4000);
    if (reading.frame.op !== 'hello') return refuseHello('missing_hello', 4001);
    const hello = readHello(reading.frame);
    if (!hello) return refuseHello('invalid_hello', 4000);
    const isOther = (hello.token ?? '') !== '' && hello.token !== opening.token;
    if (opening.token !== undefined && isOther) return refuseHello('unauthorized', 4003);
    phase = { is: 'identifying', held: [], chars: 0 };
    void identify(hello.token ?? opening.token);
  }

  async function identify(token: string | undefined): Promise<void> {
    let caller: Caller;
    try {
      const door = channel.door === 'unix' ? 'unix' : 'tcp';
      caller = await doorman.identify({ door, token, connection: opening.connection });
    } catch (thrown) {
      if (phase.is === 'identifying') refuseCaller(CallError.from(thrown));
      return;
    }
    welcome(caller);
  }

  function refuseCaller(error: CallError): void {
    if (error.class === 'auth' || error.class === 'permission') {
      return refuseHello('unauthorized', 4003);
    }
    if (error.class === 'rate_limit') return refuseHello('unavailable', 1013);
    log.error('exai_hello_failed', { error: error.toJSON(), cause: error.cause });
    refuseHello('unavailable', 1013);
  }

  function welcome(caller: Caller): void {
    if (phase.is !== 'identifying') return;
    const { held } = phase;
    helloTimer.stop();
    channel.identified?.(caller.principal);
    const health = () => deps.health();
    const session = { channel, caller, table, calls, doorman, clock, health, isRotating: false };
    phase = { is: 'greeted', session };
    channel.send(frame('hello_ack', { ok: true, session_id: deps.newUuid() }));
    for (const text of held) serve(text, session);
    if (hasEnded) closeWhenAnswered();
  }

  function hold(text: string, waiting: Phase & { is: 'identifying' }): void {
    waiting.held.push(text);
    waiting.chars += text.length;
    if (waiting.held.length <= MAX_HELD && waiting.chars <= MAX_HELD_CHARS) return;
    channel.send(errorFrame('OVER_CAPACITY', 'Too much was sent before the hello was answered.'));
    close(1008, 'Too much before hello_ack.');
  }

  function serve(text: string, session: Greeted): void {
    const reading = readFrame(text);
    if (reading.is === 'invalid_json') {
      channel.send(errorFrame('INVALID_JSON', 'invalid_json'));
    } else if (reading.is === 'invalid_message') {
      channel.send(errorFrame('INVALID_MESSAGE', `invalid_message: ${reading.why}`));
    } else {
      try {
        operate(reading.frame, session);
      } catch (thrown) {
        const error = CallError.from(thrown);
        log.error('exai_op_failed', { error: error.toJSON(), cause: error.cause });
        channel.send(errorFrame('EXEC_ERROR', error.message));
      }
    }
  }

  function closeWhenAnswered(): void {
    void table.drain().then(() => {
      if (phase.is !== 'closed') close(1000, 'Everything is answered.');
    });
  }

  return {
    onMessage(text) {
      if (phase.is === 'greeted') serve(text, phase.session);
      else if (phase.is === 'new') greet(text);
      else if (phase.is === 'identifying') hold(text, phase);
    },
    onEnd() {
      hasEnded = true;
      if (phase.is === 'new') close(1000, 'No hello came.');
      else if (phase.is === 'greeted') closeWhenAnswered();
    },
    onClose() {
      phase = { is: 'closed' };
      helloTimer.stop();
      table.abandon();
    },
    drain: () => table.drain(),
  };
}

/** Old clients send an empty token, or null, for none. */
function readHello({ session_id, token }: Frame): { token: string | undefined } | undefined {
  if (!isTextOrNone(session_id) || !isTextOrNone(token)) return undefined;
  return { token: token === null || token === '' ? undefined : token };
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
