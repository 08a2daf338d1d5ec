import { isatty } from 'node:tty';
import { toWireJson } from '#app/wire-json.ts';
import type { Environment } from '#config/environment.ts';
import { paintFor, type Paint } from './format/colors.ts';
import { escapeInvisible, escapeJsonControls } from './format/escape-controls.ts';
import { writeAllSync } from './write-fd.ts';

export interface Output {
  write(text: string): void;
}

/** The environment of a command: streams, variables and terminal capabilities. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** Adds colours where stdout shows them. */
  readonly paint: Paint;
  /** Whether the terminal displays more than ASCII. */
  readonly charset: 'utf-8' | 'ascii';
  /** The columns of the terminal; absent where stdout is not a terminal. */
  readonly width?: number;
  /** Whether stderr is a terminal, on which a line can be rewritten. */
  readonly progress: 'live' | 'none';
  /** Aborts when the reader of stdout is gone, or on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Prints the single document of `--json`. */
export function printJson(io: Pick<Io, 'stdout'>, document: unknown): void {
  io.stdout.write(`${escapeJsonControls(toWireJson(document, 2))}\n`);
}

/**
 * Prints a document without converting its field names, for content such as schemas whose names are
 * not ours.
 */
export function printRawJson(io: Pick<Io, 'stdout'>, document: unknown): void {
  io.stdout.write(`${escapeJsonControls(JSON.stringify(document, null, 2))}\n`);
}

/** The Io of the current process. `stop` aborts its signal. */
export function createTerminal(env: Environment): Io & { stop(): void } {
  const controller = new AbortController();
  return {
    stdout: {
      write(text) {
        if (writeAllSync(1, shownOn(1, text)) === 'closed') controller.abort();
      },
    },
    stderr: { write: (text) => void writeAllSync(2, shownOn(2, text)) },
    env,
    paint: paintFor(env, isatty(1) ? 'terminal' : 'file'),
    charset: charsetOf(env),
    ...(isatty(1) && { width: process.stdout.columns }),
    progress: isatty(2) ? 'live' : 'none',
    signal: controller.signal,
    stop: () => controller.abort(),
  };
}

/** Escapes invisible characters on a terminal only; pipes and files get the text unchanged. */
function shownOn(fd: number, text: string): string {
  return isatty(fd) ? escapeInvisible(text) : text;
}

function charsetOf(env: Environment): Io['charset'] {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || env['WT_SESSION'] !== undefined ? 'utf-8' : 'ascii';
}
