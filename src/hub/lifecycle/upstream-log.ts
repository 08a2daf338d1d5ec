import type { UpstreamLogLine } from '#core/hub/upstream.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';

const MAX_LINES = 500;
const MAX_LINE_CHARS = 1_000;

export interface UpstreamLog {
  add(from: UpstreamLogLine['from'], text: string): void;
  lines(): readonly UpstreamLogLine[];
}

/** The last lines of a server's stderr and of the hub about it. A flood replaces older lines. */
export function createUpstreamLog(clock: Pick<Clock, 'now'>): UpstreamLog {
  const ring: UpstreamLogLine[] = [];
  let next = 0;
  return {
    add(from, text) {
      ring[next] = { at: clock.now(), from, text: oneLine(text, MAX_LINE_CHARS) };
      next = (next + 1) % MAX_LINES;
    },
    lines: () => [...ring.slice(next), ...ring.slice(0, next)],
  };
}
