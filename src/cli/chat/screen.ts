import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { createAnswerWriter, type AnswerWriter } from '../ask/answer-writer.ts';
import { paintFor, type Colour } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { wrapText } from '../format/layout.ts';
import type { Io, Output } from '../io.ts';
import {
  createMarkdownWriter,
  formatAnswer,
  rendersMarkdown,
} from '../markdown/markdown-writer.ts';
import { createSpinner } from '../terminal/spinner.ts';

/** The output of a chat. Its spinner gives way to everything else. */
export interface ChatScreen {
  /** The writer of one answer. */
  createAnswerWriter(display: 'rendered' | 'raw'): AnswerWriter;
  /** An answer that is part of other output. */
  readonly formatAnswer: (text: string, display: 'rendered' | 'raw') => string;
  /** The output of a slash command. */
  print(text: string): void;
  /** Our own lines at the start of a chat, in one colour. */
  greet(text: string, colour: Colour): void;
  /** A remark beside an answer. */
  note(sentence: string): void;
  showError(sentence: string): void;
  /** Shows that something is in progress. */
  startSpinner(note: string): void;
  stopSpinner(): void;
}

/** Room for the frame and the seconds. */
const BESIDE_CHARS = 14;
/** The width that sentences are wrapped at. */
const USUAL_WIDTH = 80;

export interface ChatScreenOptions {
  readonly io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'paint' | 'charset' | 'progress' | 'width'>;
  readonly clock: Clock;
  /** `json`: standard output has envelopes only. */
  readonly format: 'text' | 'json';
  /** The current width of the terminal; undefined or 0 where it is unknown. */
  readonly columns: () => number | undefined;
}

export function createChatScreen({ io, clock, format, columns }: ChatScreenOptions): ChatScreen {
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  const spinner = createSpinner({ output: io.stderr, clock, charset: io.charset, paint });
  const output = format === 'json' ? io.stderr : io.stdout;
  /** Wraps our own sentences. */
  const fitted = (text: string) =>
    io.width === undefined ? text : wrapText(text, Math.min(USUAL_WIDTH, columns() || USUAL_WIDTH));
  const still = () => spinner.stop();

  const answer: Output = {
    write(text) {
      still();
      io.stdout.write(text);
    },
  };

  function startSpinner(next: string): void {
    if (io.progress === 'none') return;
    const room = (columns() || USUAL_WIDTH) - BESIDE_CHARS;
    spinner.show(oneLine(escapeControls(next), Math.max(1, room)));
  }

  /** A table is written when its columns are known. */
  function showHeld(what: 'table'): void {
    startSpinner(`writing a ${what}`);
  }

  return {
    createAnswerWriter: (display) =>
      rendersMarkdown(io, display)
        ? createMarkdownWriter({ output: answer, io, columns, onHold: showHeld })
        : createAnswerWriter(answer),
    formatAnswer: (text, display) =>
      formatAnswer(text, { io, columns, isRendered: rendersMarkdown(io, display) }),
    print(text) {
      still();
      output.write(`${text}\n`);
    },
    greet(text, colour) {
      still();
      io.stdout.write(`${io.paint(colour, fitted(escapeControls(text)))}\n`);
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
    startSpinner,
    stopSpinner: still,
  };
}
