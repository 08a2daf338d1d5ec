import type { Clock, Timer } from '#core/clock.ts';
import { every } from '#core/clock.ts';
import { oneLine } from '#core/one-line.ts';
import type { Io, Output } from './io.ts';
import { paintFor } from './paint.ts';
import { harmless } from './terminal-text.ts';
import { wrap } from './wrap.ts';

/** What whoever chats is shown. A line that moves while they wait makes way for everything else. */
export interface ChatScreen {
  /** For answers, which are made harmless by who writes them. */
  readonly answer: Output;
  /** What a command has to say, lines and all. */
  say(text: string): void;
  /** Beside an answer. */
  note(sentence: string): void;
  fault(sentence: string): void;
  /** Something is under way. */
  wait(note: string): void;
  still(): void;
}

const FRAMES = {
  'utf-8': ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  ascii: ['|', '/', '-', '\\'],
} as const;
const FRAME_MS = 100;
/** From then on it is told how long it has been. */
const SLOW_SECONDS = 3;
/** For the frame and the seconds. */
const BESIDE_CHARS = 14;
const CLEAR = '\r\u001b[K';
/** As wide as sentences are broken to. */
const USUAL_WIDTH = 80;

export interface ScreenOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'charset' | 'progress' | 'width'>;
  readonly clock: Clock;
  /** `json`: standard output is for envelopes alone. */
  readonly format: 'words' | 'json';
  /** Of the terminal, as it is now; nothing or 0 where nobody knows. */
  readonly columns: () => number | undefined;
}

export function createChatScreen({ io, clock, format, columns }: ScreenOptions): ChatScreen {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const frames = FRAMES[io.charset];
  const said = format === 'json' ? io.stderr : io.stdout;
  /** Our own sentences are broken at words; answers never are, as nobody knows here how wide their letters are. */
  const fitted = (text: string) => ((io.width ?? 0) >= USUAL_WIDTH ? wrap(text) : text);
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
    say(text) {
      still();
      said.write(`${text}\n`);
    },
    note(sentence) {
      still();
      io.stderr.write(`${paint('dim', fitted(harmless(sentence)))}\n`);
    },
    fault(sentence) {
      still();
      io.stderr.write(
        `${fitted(`exai: ${harmless(sentence)}`).replace('exai:', paint('red', 'exai:'))}\n`,
      );
    },
    wait(next) {
      if (io.progress === 'none') return;
      const room = (columns() || USUAL_WIDTH) - BESIDE_CHARS;
      note = oneLine(harmless(next), Math.max(1, room));
      if (!moving) move();
    },
    still,
  };
}
