import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { startFailure, type ProgramExit, type ProgramOptions } from './start-program.ts';

/** Signals that a terminal sends to every program in its foreground. */
const OF_THE_TERMINAL = ['SIGINT', 'SIGQUIT'] as const;
const ALWAYS_FORWARDED = ['SIGTERM', 'SIGHUP'] as const;

export interface TerminalProgramOptions extends Pick<
  ProgramOptions,
  'file' | 'args' | 'cwd' | 'env'
> {
  /** What standard input is. */
  readonly input: 'terminal' | 'other';
}

/**
 * Runs a program in the place of this one: with its standard streams and in its process group, so
 * that the program can use the terminal. Signals are forwarded until it ends; those that the
 * terminal has sent to it already are only ignored here, because a second Ctrl-C means something
 * else. Throws as `startProgram` does.
 */
export async function runInTerminal(options: TerminalProgramOptions): Promise<ProgramExit> {
  const { file, args, cwd, env, input } = options;
  const stops: (() => void)[] = [];
  let forward: (signal: NodeJS.Signals) => void = () => undefined;
  const listen = (signal: NodeJS.Signals, onSignal: () => void) => {
    process.on(signal, onSignal);
    stops.push(() => void process.off(signal, onSignal));
  };
  for (const signal of OF_THE_TERMINAL) {
    listen(signal, () => {
      if (input !== 'terminal') forward(signal);
    });
  }
  for (const signal of ALWAYS_FORWARDED) listen(signal, () => forward(signal));
  try {
    return await new Promise<ProgramExit>((resolve, reject) => {
      const child = spawn(file, args, { cwd, env, stdio: 'inherit', windowsHide: false });
      forward = (signal) => void child.kill(signal);
      child.once('error', (thrown) => reject(startFailure(options, thrown)));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  } catch (thrown) {
    // Invalid arguments are thrown before there is a child.
    throw startFailure(options, thrown as NodeJS.ErrnoException);
  } finally {
    for (const stop of stops) stop();
  }
}

const SIGNAL_BASE = 128;

/** The exit code of a program as shells report it: 128 and the number of the signal that ended it. */
export function exitCodeOf({ code, signal }: ProgramExit): number {
  return code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]);
}
