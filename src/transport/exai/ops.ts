import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import { didYouMean } from '#core/nearest.ts';
import type { Channel } from '../channel.ts';
import type { CallTable } from './call-table.ts';
import { errorFrame, frame } from './frames.ts';
import { listFrame } from './list-frame.ts';
import { oneLine } from './one-line.ts';
import { requestIdOf, type Frame } from './read-frame.ts';

/** What `health` tells, by the names of the wire. */
export interface ExaiHealth {
  /** Seconds since the epoch. */
  readonly t: number;
  readonly uptime_human: string;
  readonly sessions: number;
  readonly global_capacity: number;
  readonly global_inflight: number;
  readonly tool_count: number;
}

/** A session after its hello, as the operations need it. */
export interface Greeted {
  readonly channel: Channel;
  readonly caller: Caller;
  readonly table: CallTable;
  readonly calls: Calls;
  readonly doorman: Doorman;
  readonly clock: Clock;
  health(): ExaiHealth;
  /** One at a time, so that nobody tries tokens by the thousand at once. */
  isRotating: boolean;
}

type Operation = (frame: Frame, session: Greeted) => void;

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['hello', (given, { channel }) => refuse(channel, given, 'hello was said already.')],
  ['list_tools', (_, { channel, calls, caller }) => channel.send(listFrame(calls.list(caller)))],
  ['call_tool', callTool],
  ['tool_call', callTool],
  ['cancel', cancel],
  ['health', (_, s) => s.channel.send(frame('health_res', { ok: true, health: s.health() }))],
  ['ping', (_, { channel, clock }) => channel.send(frame('pong', { t: clock.now() / 1000 }))],
  ['rotate_token', (given, session) => void rotateToken(given, session)],
]);

/** Answers one frame of a client that has said hello. */
export function operate(given: Frame, session: Greeted): void {
  const operation = OPERATIONS.get(given.op);
  if (operation) return operation(given, session);
  const op = oneLine(given.op);
  const message = `Unknown op: ${op}${didYouMean(op, OPERATIONS.keys())}`;
  session.channel.send(errorFrame('UNKNOWN_OP', message, requestIdOf(given)));
}

const ID_WANTED = 'request_id must be a text of 1 to 256 characters, or a whole number.';
const NAME_WANTED = new CallError('validation', 'name must be the name of a tool.', {
  field: 'name',
});

function refuse(channel: Channel, given: Frame, message: string): void {
  channel.send(errorFrame('INVALID_REQUEST', message, requestIdOf(given)));
}

function callTool(given: Frame, { channel, table, caller }: Greeted): void {
  const requestId = requestIdOf(given);
  if (requestId === undefined) return refuse(channel, given, ID_WANTED);
  const { name: tool } = given;
  if (typeof tool !== 'string') return table.refuse(requestId, '', NAME_WANTED);
  const args = given.arguments ?? given.args ?? {};
  table.start({ requestId, tool, args, caller });
}

function cancel(given: Frame, { channel, table }: Greeted): void {
  const requestId = requestIdOf(given);
  if (requestId === undefined) return refuse(channel, given, ID_WANTED);
  const outcome =
    table.cancel(requestId) === 'cancelled' ? { ok: true } : { ok: false, error: 'not_found' };
  channel.send(frame('cancelled', { request_id: requestId, ...outcome }));
}

async function rotateToken(given: Frame, session: Greeted): Promise<void> {
  const { channel, doorman } = session;
  const answer = (members: object) => channel.send(frame('rotate_token_res', members));
  if (!isText(given.old) || !isText(given.new)) {
    return answer({ ok: false, error: 'missing_params' });
  }
  if (session.isRotating) return answer({ ok: false, error: 'busy' });
  session.isRotating = true;
  try {
    const { graceMs, kept, note } = await doorman.rotate(given.old, given.new, session.caller);
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
