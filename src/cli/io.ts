import { isatty } from 'node:tty';
import { toWireJson } from '#app/wire-json.ts';
import type { Environment } from '#config/environment.ts';
import { paintFor, type Paint } from './format/colors.ts';
import { escapeJsonControls, escapeOutput } from './format/escape-controls.ts';
import { writeAllSync } from './write-fd.ts';

export interface Output {
  write(text: string): void;
}

/** The environment of a command: streams, variables and terminal capabilities. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard output for documents that a pipe or a file gets unchanged. */
  readonly documents: Output;
  /** Standard output for a line editor, which moves the cursor. */
  readonly editor: Output;
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
  const onClosed = () => controller.abort();
  const document = isatty(1) ? 'terminal' : 'unchanged';
  return {
    stdout: createOutput(1, outputKind(1), onClosed),
    stderr: createOutput(2, outputKind(2), () => undefined),
    documents: createOutput(1, document, onClosed),
    editor: createOutput(1, 'editor', onClosed),
    env,
    paint: paintFor(env, isatty(1) ? 'terminal' : 'file'),
    charset: charsetOf(env),
    ...(isatty(1) && { width: process.stdout.columns }),
    progress: isatty(2) ? 'live' : 'none',
    signal: controller.signal,
    stop: () => controller.abort(),
  };
}

/** The only writer of commands: nothing reaches a terminal or a pipe without passing here. */
function createOutput(
  fd: number,
  kind: 'terminal' | 'editor' | 'pipe' | 'unchanged',
  onClosed: () => void,
): Output {
  let before = '';
  return {
    write(text) {
      const safe = kind === 'unchanged' ? text : escapeOutput(text, kind, before);
      before = safe.slice(-CONTEXT_UNITS);
      if (writeAllSync(fd, safe) === 'closed') onClosed();
    },
  };
}

/** As much of the previous text as decides about the first character of the next. */
const CONTEXT_UNITS = 24;

function outputKind(fd: number): 'terminal' | 'pipe' {
  return isatty(fd) ? 'terminal' : 'pipe';
}

function charsetOf(env: Environment): Io['charset'] {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || env['WT_SESSION'] !== undefined ? 'utf-8' : 'ascii';
}
