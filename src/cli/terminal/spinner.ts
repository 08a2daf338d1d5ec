import { every, type Clock, type Timer } from '#core/time/clock.ts';
import type { Paint } from '../format/colors.ts';
import type { Io, Output } from '../io.ts';

const FRAMES = {
  'utf-8': ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  ascii: ['|', '/', '-', '\\'],
} as const;
const FRAME_MS = 100;
/** From this time on the elapsed seconds are shown. */
const SLOW_SECONDS = 3;
/** Removes a line of a terminal. */
const CLEAR = '\r\u001b[K';

export interface SpinnerOptions {
  /** A terminal. */
  readonly output: Output;
  readonly clock: Clock;
  readonly charset: Io['charset'];
  readonly paint: Paint;
  /** From when the seconds are counted, by the monotonic clock; default: when it starts to move. */
  readonly sinceMs?: number;
}

/** One line of a terminal that moves while something is in progress. */
export interface Spinner {
  readonly isMoving: boolean;
  /** Shows a short line without control characters. */
  show(line: string): void;
  /** Removes the line until the next one. */
  stop(): void;
}

export function createSpinner(options: SpinnerOptions): Spinner {
  const { output, clock, paint } = options;
  const frames = FRAMES[options.charset];
  let moving: Timer | undefined;
  let startedAtMs = 0;
  let shown = '';
  let count = 0;

  function draw(): void {
    const seconds = Math.floor((clock.monotonic() - startedAtMs) / 1000);
    const frame = frames[count++ % frames.length] ?? '';
    const slow = seconds < SLOW_SECONDS ? '' : ` ${seconds} s`;
    output.write(`${CLEAR}${paint('dim', `${frame} ${shown}${slow}`)}`);
  }

  return {
    get isMoving() {
      return moving !== undefined;
    },
    show(line) {
      if (moving && line === shown) return;
      shown = line;
      if (!moving) startedAtMs = options.sinceMs ?? clock.monotonic();
      draw();
      moving ??= every(clock, FRAME_MS, draw);
    },
    stop() {
      if (!moving) return;
      moving.stop();
      moving = undefined;
      output.write(CLEAR);
    },
  };
}
