import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import { toClientInfo, withClientInfo, type ClientInfo } from '#core/calls/client-info.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Channel, ConnectionInfo, InboundMessage, Session } from '../channel.ts';
import { charsOf } from '../parse-large-message.ts';
import { DAEMON_STOPPED } from '../daemon-stopped.ts';
import { createCallTable } from './call-table.ts';
import { errorFrame, frame, readFrame, type Frame } from './frames.ts';
import { handleFrame, type ExaiHealth, type ExaiSessionContext } from './handle-frame.ts';

export interface ExaiDeps {
  readonly calls: Calls;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  newUuid(): string;
  readonly log: Log;
  readonly helloTimeoutMs: number;
  readonly progressIntervalMs: number;
  readonly inlineWaitMs: number;
  readonly maxTokens: number;
  /** Whether answers also carry their text outside `outputs`, for older clients. */
  readonly compatText: boolean;
  health(): ExaiHealth;
}

type Phase =
  | { readonly is: 'new' }
  | { readonly is: 'authenticating'; readonly held: InboundMessage[]; chars: number }
  | { readonly is: 'ready'; readonly session: ExaiSessionContext }
  | { readonly is: 'closed' };

// Limits for what a client may send during authentication.
const MAX_HELD = 1024;
const MAX_HELD_CHARS = 32 * 1024 * 1024;

/**
 * A session of the EXAI protocol: JSON objects with an `op`, first a hello, then any number of
 * concurrent calls.
 */
export function createExaiSession(
  channel: Channel,
  opening: ConnectionInfo,
  deps: ExaiDeps,
): Session {
  const { calls, authenticator, clock, log } = deps;
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

  function handleHello(message: InboundMessage): void {
    const reading = readFrame(message);
    if (reading.is !== 'frame') return refuseHello('invalid_hello', 4000);
    if (reading.frame.op !== 'hello') return refuseHello('missing_hello', 4001);
    const hello = readHello(reading.frame);
    if (!hello) return refuseHello('invalid_hello', 4000);
    const isOther = (hello.token ?? '') !== '' && hello.token !== opening.token;
    if (opening.token !== undefined && isOther) return refuseHello('unauthorized', 4003);
    phase = { is: 'authenticating', held: [], chars: 0 };
    void authenticate(hello.token ?? opening.token, hello.clientInfo);
  }

  async function authenticate(
    token: string | undefined,
    clientInfo: ClientInfo | undefined,
  ): Promise<void> {
    let caller: Caller;
    try {
      const transport = channel.transport === 'unix' ? 'unix' : 'tcp';
      caller = await authenticator.authenticate({
        transport,
        token,
        connection: opening.connection,
      });
    } catch (thrown) {
      if (phase.is === 'authenticating') refuseCaller(CallError.from(thrown));
      return;
    }
    welcome(withClientInfo(caller, clientInfo));
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
    if (phase.is !== 'authenticating') return;
    const { held } = phase;
    helloTimer.stop();
    channel.identified?.(caller.principal);
    const health = () => deps.health();
    const session = {
      channel,
      caller,
      table,
      calls,
      authenticator,
      clock,
      health,
      isRotating: false,
    };
    phase = { is: 'ready', session };
    channel.send(frame('hello_ack', { ok: true, session_id: deps.newUuid() }));
    for (const message of held) serve(message, session);
    if (hasEnded) closeWhenAnswered();
  }

  function hold(message: InboundMessage, waiting: Phase & { is: 'authenticating' }): void {
    waiting.held.push(message);
    waiting.chars += charsOf(message);
    if (waiting.held.length <= MAX_HELD && waiting.chars <= MAX_HELD_CHARS) return;
    channel.send(errorFrame('OVER_CAPACITY', 'Too much was sent before the hello was answered.'));
    close(1008, 'Too much before hello_ack.');
  }

  function serve(message: InboundMessage, session: ExaiSessionContext): void {
    const reading = readFrame(message);
    if (reading.is === 'invalid_json') {
      channel.send(errorFrame('INVALID_JSON', 'invalid_json'));
    } else if (reading.is === 'invalid_message') {
      channel.send(errorFrame('INVALID_MESSAGE', `invalid_message: ${reading.why}`));
    } else {
      try {
        handleFrame(reading.frame, session);
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
    onMessage(message) {
      if (phase.is === 'ready') serve(message, phase.session);
      else if (phase.is === 'new') handleHello(message);
      else if (phase.is === 'authenticating') hold(message, phase);
    },
    onEnd() {
      hasEnded = true;
      if (phase.is === 'new') close(1000, 'Handshake timed out.');
      else if (phase.is === 'ready') closeWhenAnswered();
    },
    onClose() {
      phase = { is: 'closed' };
      helloTimer.stop();
      table.abandon();
    },
    drain: () => table.drain(),
    interrupt: () => table.interrupt(DAEMON_STOPPED),
  };
}

interface ExaiHello {
  readonly token: string | undefined;
  readonly clientInfo: ClientInfo | undefined;
}

/** Reads the hello. Old clients send an empty token or null for none. */
function readHello({ session_id, token, client }: Frame): ExaiHello | undefined {
  if (!isTextOrNone(session_id) || !isTextOrNone(token)) return undefined;
  return {
    token: token === null || token === '' ? undefined : token,
    clientInfo: readClient(client),
  };
}

/** `{name, version}` or a name. Anything else names no program, which is not a fault. */
function readClient(client: unknown): ClientInfo | undefined {
  if (typeof client !== 'object' || client === null) return toClientInfo(client);
  const { name, version }: { name?: unknown; version?: unknown } = client;
  return toClientInfo(name, version);
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
