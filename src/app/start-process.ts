import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepareHome, type Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/error-class.ts';
import { readIfThere } from './read-if-there.ts';
import type { ReachOptions } from './reach-daemon.ts';
import { claimStart, type StartClaim } from './start-process-claim.ts';

export interface Starter {
  /** Starts a daemon, unless one is being started already, by this program or another. Throws why one did not start. */
  go(): void;
  /** The daemon is there, or will not come. */
  release(): void;
}

type Options = Pick<ReachOptions, 'home' | 'env' | 'clock' | 'program'>;

/** A daemon that found the home taken waits for nobody; the next one is not started before so long. */
const TAKEN_PAUSE_MS = 500;
const MOST_REASON = 600;

export function createStarter({ home, env, clock, program = thisProgram() }: Options): Starter {
  const log = join(home.logDir, 'daemon-start.log');
  let claim: StartClaim | undefined;
  let outcome: CallError | undefined;
  let state: 'idle' | 'starting' = 'idle';
  let notBefore = 0;

  function start(): void {
    state = 'starting';
    const child = launch(program, env, home, log);
    // `close` comes after all is written; `error` instead of both when the program could not be run.
    child.once('error', (error) => ended(CallError.from(error)));
    child.once('exit', (code) => ended(reasonOf(code, log)));
    child.unref();
  }

  function ended(error: CallError): void {
    state = 'idle';
    release();
    notBefore = clock.monotonic() + TAKEN_PAUSE_MS;
    // Another daemon has the home: it will answer, or it is going and its place will be free.
    if (error.class !== 'conflict') outcome = error;
  }

  function release(): void {
    claim?.release();
    claim = undefined;
  }

  return {
    go() {
      if (outcome) throw outcome;
      if (state === 'starting' || clock.monotonic() < notBefore) return;
      prepareHome(home);
      claim = claimStart(join(home.root, 'daemon.starting'), clock);
      if (claim) start();
    },
    release,
  };
}

/** Apart from the terminal and the process group of whoever needs it: it outlives them. */
function launch(
  [command, ...first]: readonly [string, ...string[]],
  env: ReachOptions['env'],
  home: Home,
  log: string,
): ChildProcess {
  // A daemon that is still going keeps writing to the old one.
  rmSync(log, { force: true });
  const output = openSync(log, 'a', 0o600);
  try {
    return spawn(command, [...first, 'serve', '--autostart'], {
      cwd: home.root,
      env: { ...env },
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output],
    });
  } finally {
    closeSync(output);
  }
}

function thisProgram(): [string, ...string[]] {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return [process.execPath, ...flags, process.argv[1] ?? ''];
}

/** What the daemon said for its user before it ended. */
function reasonOf(code: number | null, log: string): CallError {
  const said = (readIfThere(log) ?? '').slice(-MOST_REASON * 4);
  const words = /^exai: (.+)$/gm;
  const message = [...said.matchAll(words)].at(-1)?.[1]?.slice(0, MOST_REASON);
  const fix = [...said.matchAll(/^ {2}fix: (.+)$/gm)].at(-1)?.[1]?.slice(0, MOST_REASON);
  const known = ERROR_CLASSES.find((each) => ERROR_POLICY[each].exit === code) ?? 'internal';
  const ended = code === null ? 'was ended by a signal' : `ended with code ${code}`;
  return new CallError(known, message ?? `The daemon ${ended} before it was ready.`, {
    fix: fix ?? `See ${log}.`,
  });
}
