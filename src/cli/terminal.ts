import { isatty } from 'node:tty';
import type { Environment } from '#config/environment.ts';
import type { Io } from './io.ts';
import { paintFor } from './paint.ts';
import { showInvisible } from './terminal-text.ts';
import { writeAll } from './write.ts';

/** The Io of the real process. `stop` aborts its signal. */
export function createTerminal(env: Environment): Io & { stop(): void } {
  const controller = new AbortController();
  return {
    stdout: {
      write(text) {
        if (writeAll(1, shownOn(1, text)) === 'closed') controller.abort();
      },
    },
    stderr: { write: (text) => void writeAll(2, shownOn(2, text)) },
    env,
    paint: paintFor(env, isatty(1) ? 'terminal' : 'file'),
    charset: charsetOf(env),
    ...(isatty(1) && { width: process.stdout.columns }),
    progress: isatty(2) ? 'live' : 'none',
    signal: controller.signal,
    stop: () => controller.abort(),
  };
}

/** Whoever reads a pipe or a file gets the text as it is. */
function shownOn(fd: number, text: string): string {
  return isatty(fd) ? showInvisible(text) : text;
}

export function charsetOf(env: Environment): Io['charset'] {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || env['WT_SESSION'] !== undefined ? 'utf-8' : 'ascii';
}
