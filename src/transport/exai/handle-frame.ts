import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import { didYouMean } from '#core/text/text.ts';
import type { Channel } from '../channel.ts';
import type { CallTable } from './call-table.ts';
import { abbreviate, errorFrame, frame, listFrame, requestIdOf, type Frame } from './frames.ts';

/** The body of `health_res`. */
export interface ExaiHealth {
  /** Seconds since the epoch. */
  readonly t: number;
  readonly uptime_human: string;
  readonly sessions: number;
  readonly global_capacity: number;
  readonly global_inflight: number;
  readonly tool_count: number;
}

/** What the operations of a session need, after its hello. */
export interface ExaiSessionContext {
  readonly channel: Channel;
  readonly caller: Caller;
  readonly table: CallTable;
  readonly calls: Calls;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  health(): ExaiHealth;
  /** Whether a rotation runs: one at a time, so that tokens cannot be guessed in bulk. */
  isRotating: boolean;
}

type Operation = (frame: Frame, session: ExaiSessionContext) => void;

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['hello', (received, { channel }) => refuse(channel, received, 'hello was said already.')],
  ['list_tools', (_, { channel, calls, caller }) => channel.send(listFrame(calls.list(caller)))],
  ['call_tool', callTool],
  ['tool_call', callTool],
  ['cancel', cancel],
  ['health', (_, s) => s.channel.send(frame('health_res', { ok: true, health: s.health() }))],
  ['ping', (_, { channel, clock }) => channel.send(frame('pong', { t: clock.now() / 1000 }))],
  ['rotate_token', (received, session) => void rotateToken(received, session)],
]);

/** Handles one frame of a client after its hello. */
export function handleFrame(received: Frame, session: ExaiSessionContext): void {
  const operation = OPERATIONS.get(received.op);
  if (operation) return operation(received, session);
  const op = abbreviate(received.op);
  const message = `Unknown op: ${op}${didYouMean(op, OPERATIONS.keys())}`;
  session.channel.send(errorFrame('UNKNOWN_OP', message, requestIdOf(received)));
}

const INVALID_ID = 'request_id must be a text of 1 to 256 characters, or a whole number.';
const INVALID_NAME = new CallError('validation', 'name must be the name of a tool.', {
  field: 'name',
});

function refuse(channel: Channel, received: Frame, message: string): void {
  channel.send(errorFrame('INVALID_REQUEST', message, requestIdOf(received)));
}

function callTool(received: Frame, { channel, table, caller }: ExaiSessionContext): void {
  const requestId = requestIdOf(received);
  if (requestId === undefined) return refuse(channel, received, INVALID_ID);
  const { name: tool } = received;
  if (typeof tool !== 'string') return table.refuse(requestId, '', INVALID_NAME);
  const args = received.arguments ?? received.args ?? {};
  table.start({ requestId, tool, args, caller });
}

function cancel(received: Frame, { channel, table }: ExaiSessionContext): void {
  const requestId = requestIdOf(received);
  if (requestId === undefined) return refuse(channel, received, INVALID_ID);
  const outcome =
    table.cancel(requestId) === 'cancelled' ? { ok: true } : { ok: false, error: 'not_found' };
  channel.send(frame('cancelled', { request_id: requestId, ...outcome }));
}

async function rotateToken(received: Frame, session: ExaiSessionContext): Promise<void> {
  const { channel, authenticator } = session;
  const answer = (members: object) => channel.send(frame('rotate_token_res', members));
  if (!isText(received.old) || !isText(received.new)) {
    return answer({ ok: false, error: 'missing_params' });
  }
  if (session.isRotating) return answer({ ok: false, error: 'busy' });
  session.isRotating = true;
  try {
    const { graceMs, kept, note } = await authenticator.rotate(
      received.old,
      received.new,
      session.caller,
    );
    answer({ ok: true, grace_secs: graceMs / 1000, kept, note });
  } catch (thrown) {
    const error = CallError.from(thrown);
    answer({ ok: false, error: rotationError(error), message: error.message });
  } finally {
    session.isRotating = false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function rotationError({ class: errorClass }: CallError): string {
  if (errorClass === 'auth') return 'unauthorized';
  return errorClass === 'validation' ? 'invalid_params' : 'failed';
}
