import type { Clock } from '#core/clock.ts';
import { createDelayLine, type DelayLine } from './delay-line.ts';
import type { KeptStream } from './kept-stream.ts';

/** In milliseconds. */
export interface StreamTimes {
  /** An answer that takes longer becomes a stream; 0: every answer is one, where streams can be resumed. */
  readonly streamAfterMs: number;
  /** A stream that carries an answer is ended after this, and its client comes back for the rest; 0: never. */
  readonly streamForMs: number;
  /** Between two signs of life on a stream. */
  readonly sseKeepaliveMs: number;
}

/** The times of all streams of a door. */
export interface StreamLines {
  readonly slow: DelayLine<KeptStream> | undefined;
  readonly keepalive: DelayLine<KeptStream>;
  readonly long: DelayLine<KeptStream> | undefined;
  readonly old: DelayLine<KeptStream>;
}

// A client that lost its connection comes back within seconds, a sleeping laptop within its user's coffee.
const KEEP_ENDED_MS = 300_000;

export function createStreamLines(clock: Clock, times: StreamTimes): StreamLines {
  const { streamAfterMs, streamForMs, sseKeepaliveMs } = times;
  return {
    slow:
      streamAfterMs === 0
        ? undefined
        : createDelayLine(clock, streamAfterMs, (stream) => stream.owner.onSlow(stream)),
    keepalive: createDelayLine(clock, sseKeepaliveMs, (stream) => stream.owner.onKeepalive(stream)),
    long:
      streamForMs === 0
        ? undefined
        : createDelayLine(clock, streamForMs, (stream) => stream.owner.onLong(stream)),
    old: createDelayLine(clock, KEEP_ENDED_MS, (stream) => stream.owner.onOld(stream)),
  };
}

export function clearStreamLines({ slow, keepalive, long, old }: StreamLines): void {
  for (const line of [slow, keepalive, long, old]) line?.clear();
}
