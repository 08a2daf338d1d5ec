import { isatty } from 'node:tty';
import type { Environment } from '#config/environment.ts';
import type { Io } from './io.ts';
import { paintFor } from './paint.ts';
import { writeAll } from './write.ts';

/** The Io of the real process. `stop` aborts its signal. */
export function createTerminal(env: Environment): Io & { stop(): void } {
  const controller = new AbortController();
  const write = (text: string) => {
    if (writeAll(1, text) === 'closed') controller.abort();
  };
  return {
    stdout: { write },
    stderr: { write: (text) => void writeAll(2, text) },
    env,
    paint: paintFor(env, isatty(1) ? 'terminal' : 'file'),
    charset: charsetOf(env),
    ...(isatty(1) && { width: process.stdout.columns }),
    progress: isatty(2) ? 'live' : 'none',
    signal: controller.signal,
    stop: () => controller.abort(),
  };
}

export function charsetOf(env: Environment): Io['charset'] {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || env['WT_SESSION'] !== undefined ? 'utf-8' : 'ascii';
}
