import { notice, type Notice } from '#core/messages/notices.ts';
import type { RetentionClock } from './retention-clock.ts';

const HOUR_MS = 3_600_000;

/** What the owner should know about the clock of the machine. */
export function clockNotices(retentionClock: Pick<RetentionClock, 'jump'>): readonly Notice[] {
  const jump = retentionClock.jump();
  if (!jump) return [];
  const { direction, trustedMs, nowMs, leftMs } = jump;
  return [
    notice('clock_jumped', {
      direction,
      trusted: new Date(trustedMs).toISOString(),
      now: new Date(nowMs).toISOString(),
      hours: Math.ceil(leftMs / HOUR_MS),
    }),
  ];
}
