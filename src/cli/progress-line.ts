import { systemClock } from '#app/system.ts';
import type { Progress } from '#core/call.ts';
import { every, type Clock, type Timer } from '#core/clock.ts';
import type { Io } from './io.ts';
import { harmless } from './terminal-text.ts';

const MAX_CHARS = 72;
const CLEAR = '\r\u001b[K';
const FRAMES = {
  'utf-8': ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  ascii: ['|', '/', '-', '\\'],
} as const;
const FRAME_MS = 100;
/** From then on it is told how long it has been. */
const SLOW_SECONDS = 3;
/** Between two lines in a pipe: whoever reads them later wants few. */
const BETWEEN_LINES_MS = 10_000;
/** What the daemon says when the tool says nothing; how long it has been is told here anyway, and is never old. */
const BREATH = /^(running|awaiting capacity|awaiting an answer), \d+ s$/;
const RUNNING = 'running';

export interface ProgressLine {
  readonly show: (step: Progress) => void;
  /** Makes way for something else, until the next step. */
  readonly clear: () => void;
}

/** What a call is doing: on a terminal one line that rewrites itself, in a pipe a line now and then. */
export function createProgressLine(
  io: Pick<Io, 'stderr' | 'progress' | 'charset'>,
  clock: Clock = systemClock,
): ProgressLine {
  const isLive = io.progress === 'live';
  const frames = FRAMES[io.charset];
  const startedAt = clock.monotonic();
  let said = '';
  /** What the tool itself told last. */
  let known = '';
  let count = 0;
  let moving: Timer | undefined;

  const seconds = () => Math.floor((clock.monotonic() - startedAt) / 1000);

  function draw(): void {
    const frame = frames[count++ % frames.length] ?? '';
    const slow = seconds() < SLOW_SECONDS ? '' : ` ${seconds()} s`;
    io.stderr.write(`${CLEAR}${frame} ${said}${slow}`);
  }

  function write(): void {
    io.stderr.write(`exai: ${seconds()} s: ${said}\n`);
  }

  /** What is to be said now. */
  function heard(step: Progress): string {
    const [, breath] = BREATH.exec(step.note ?? '') ?? [];
    if (breath === undefined) {
      const told = words(step);
      if (told !== '') known = told;
      return told;
    }
    // That it runs says less than what it does.
    return breath === RUNNING && known !== '' ? known : breath;
  }

  return {
    show(step) {
      const next = heard(step);
      if (next === '' || (moving && next === said)) return;
      said = next;
      if (isLive) draw();
      moving ??= isLive ? every(clock, FRAME_MS, draw) : every(clock, BETWEEN_LINES_MS, write);
    },
    clear() {
      if (!moving) return;
      moving.stop();
      moving = undefined;
      if (isLive) io.stderr.write(CLEAR);
    },
  };
}

function words({ note = '', done, total }: Progress): string {
  // Between two counts there are fractions, so that every message has a greater number than the one before.
  const count = total === undefined || done === undefined ? '' : `${Math.floor(done)} of ${total}`;
  return harmless([count, note].filter((part) => part !== '').join(': '))
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_CHARS);
}
