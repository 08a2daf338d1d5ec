import type { Caller } from '#core/calls/call.ts';
import { readMessage, type RpcMessage, type RpcRequest } from '#mcp/read-message.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createQuota } from '../http/quota.ts';
import { createFakeMcps } from './fake-mcp.fixture.ts';
import { createFakeOut, type FakeOut } from './fake-sink.fixture.ts';
import type { LegacySession } from './legacy-session.ts';
import { createLegacySessions, type LegacySessionsOptions } from './legacy-sessions.ts';
import { createStreamTimeoutQueues, type StreamTimings } from './resumable-stream.ts';

export const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
export const IDLE_MS = 60_000;
export const DAY_MS = 86_400_000;

export function create(
  options: Partial<LegacySessionsOptions & StreamTimings & { maxSessions: number }> = {},
) {
  const clock = createFakeClock();
  const { openMcp, sessions: mcps } = createFakeMcps();
  const times = { streamAfterMs: 1000, streamForMs: 0, sseKeepaliveMs: 15_000 };
  const timeouts = createStreamTimeoutQueues(clock, { ...times, ...options });
  let made = 0;
  const sessions = createLegacySessions({
    openMcp,
    isCredentialValid: () => true,
    newSession: () => `session-${++made}`,
    clock,
    timeouts,
    places: createQuota(options.maxSessions ?? 100),
    sessionIdleMs: IDLE_MS,
    ...options,
  });
  /** A session that is open, and what speaks in it. */
  const open = (protocolVersion = '2025-11-25', caller = OWNER) => {
    const session = sessions.open(caller);
    if (!session) throw new Error('no room');
    ask(session, 'init', 'initialize', { protocolVersion });
    const mcp = mcps.at(-1);
    if (!mcp) throw new Error('no session');
    return { session, mcp };
  };
  return { clock, timeouts, sessions, mcps, open };
}

export function ask(
  session: LegacySession,
  id: string | number,
  method = 'work',
  params: Record<string, unknown> = {},
): FakeOut {
  const out = createFakeOut();
  const refusal = session.handleRequest(request(id, method, params), out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

export function request(id: string | number, method: string, params = {}): RpcRequest {
  return { is: 'request', id, method, params };
}

export function read(message: object): Exclude<RpcMessage, RpcRequest> {
  const given = readMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  if (given.is === 'unreadable' || given.is === 'request') throw new Error('a request');
  return given;
}

export function listen(session: LegacySession): FakeOut {
  const out = createFakeOut();
  const refusal = session.listen(out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

export function resume(session: LegacySession, lastEventId: string): FakeOut {
  const out = createFakeOut();
  const refusal = session.resume(lastEventId, out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

export const lastId = (out: FakeOut) => out.events().at(-1)?.id ?? '';
export const reply = (id: string | number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: 'done' });
