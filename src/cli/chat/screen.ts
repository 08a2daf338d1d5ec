import { oneLine } from '#core/text/text.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { every } from '#core/time/clock.ts';
import { paintFor } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { wrapText } from '../format/layout.ts';
import type { Io, Output } from '../io.ts';

/** The output of a chat. Its spinner gives way to everything else. */
export interface ChatScreen {
  /** For answers; the writer escapes control characters. */
  readonly answer: Output;
  /** The output of a slash command. */
  print(text: string): void;
  /** A remark beside an answer. */
  note(sentence: string): void;
  showError(sentence: string): void;
  /** Shows that something is in progress. */
  startSpinner(note: string): void;
  stopSpinner(): void;
}

const FRAMES = {
  'utf-8': ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  ascii: ['|', '/', '-', '\\'],
} as const;
const FRAME_MS = 100;
/** From this time on the elapsed seconds are shown. */
const SLOW_SECONDS = 3;
/** Room for the frame and the seconds. */
const BESIDE_CHARS = 14;
const CLEAR = '\r\u001b[K';
/** The width that sentences are wrapped at. */
const USUAL_WIDTH = 80;

export interface ChatScreenOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'charset' | 'progress' | 'width'>;
  readonly clock: Clock;
  /** `json`: standard output has envelopes only. */
  readonly format: 'text' | 'json';
  /** The current width of the terminal; undefined or 0 where it is unknown. */
  readonly columns: () => number | undefined;
}

export function createChatScreen({ io, clock, format, columns }: ChatScreenOptions): ChatScreen {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const frames = FRAMES[io.charset];
  const output = format === 'json' ? io.stderr : io.stdout;
  /**
   * Wraps our own sentences. Answers are not wrapped, because the width of their characters is
   * unknown.
   */
  const fitted = (text: string) => ((io.width ?? 0) >= USUAL_WIDTH ? wrapText(text) : text);
  let moving: Timer | undefined;
  let note = '';

  function still(): void {
    if (!moving) return;
    moving.stop();
    moving = undefined;
    io.stderr.write(CLEAR);
  }

  function move(): void {
    const since = clock.monotonic();
    let count = 0;
    const draw = () => {
      const seconds = Math.floor((clock.monotonic() - since) / 1000);
      const frame = frames[count++ % frames.length] ?? '';
      const slow = seconds < SLOW_SECONDS ? '' : ` ${seconds} s`;
      io.stderr.write(`${CLEAR}${paint('dim', `${frame} ${note}${slow}`)}`);
    };
    draw();
    moving = every(clock, FRAME_MS, draw);
  }

  return {
    answer: {
      write(text) {
        still();
        io.stdout.write(text);
      },
    },
    print(text) {
      still();
      output.write(`${text}\n`);
    },
    note(sentence) {
      still();
      io.stderr.write(`${paint('dim', fitted(escapeControls(sentence)))}\n`);
    },
    showError(sentence) {
      still();
      io.stderr.write(
        `${fitted(`exai: ${escapeControls(sentence)}`).replace('exai:', paint('red', 'exai:'))}\n`,
      );
    },
    startSpinner(next) {
      if (io.progress === 'none') return;
      const room = (columns() || USUAL_WIDTH) - BESIDE_CHARS;
      note = oneLine(escapeControls(next), Math.max(1, room));
      if (!moving) move();
    },
    stopSpinner: still,
  };
}
