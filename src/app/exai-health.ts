import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import { OWNER } from '#auth/authenticator.ts';
import type { ExaiHealth } from '#transport/exai/handle-frame.ts';

/** The content of the `health` frame, in the original format. */
export function exaiHealth(
  calls: Calls,
  connections: number,
  startedAtMs: number,
  clock: Pick<Clock, 'now'>,
): ExaiHealth {
  // Only these two are comparable: calls without a provider have no limit.
  const { waitingForProvider, capacity } = calls.load();
  const now = clock.now();
  return {
    t: now / 1000,
    uptime_human: clockFace(Math.max(0, Math.floor((now - startedAtMs) / 1000))),
    sessions: connections,
    global_capacity: capacity,
    global_inflight: waitingForProvider,
    tool_count: calls.list(OWNER).tools.length,
  };
}

/** `26:03:09`. */
function clockFace(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
