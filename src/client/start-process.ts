import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareHome, type Home } from '#config/home.ts';
import { readIfThere } from '#config/read-if-there.ts';
import { checkHome } from '#config/usable-home.ts';
import { CallError } from '#core/call-error.ts';
import type { ReachOptions } from './reach-daemon.ts';
import { claimStart, type StartClaim } from './start-process-claim.ts';
import { isHomeTaken, isStopped, startReason } from './start-process-reason.ts';

export interface Starter {
  /** Starts a daemon, unless one is being started already, by this program or another. Throws why one did not start. */
  go(): void;
  /** Why the last one went that did not fail by itself: it found another in its place, or was stopped. */
  readonly taken: CallError | undefined;
  /** The daemon is there, or will not come. */
  release(): void;
}

type Options = Pick<ReachOptions, 'home' | 'env' | 'clock' | 'program'>;

/** After a daemon that found the home taken, or was stopped, the next one is not started before so long; twice as long each time. */
const FIRST_TAKEN_PAUSE_MS = 500;
const MOST_TAKEN_PAUSE_MS = 5000;
const MOST_READ_CHARS = 65_536;

export function createStarter({ home, env, clock, program = thisProgram() }: Options): Starter {
  const log = join(home.logDir, 'daemon-start.log');
  let claim: StartClaim | undefined;
  let outcome: CallError | undefined;
  let taken: CallError | undefined;
  let state: 'idle' | 'starting' = 'idle';
  let pauseMs = FIRST_TAKEN_PAUSE_MS;
  let notBeforeMs = 0;

  function start(): void {
    state = 'starting';
    const child = launch(program, env, home, log);
    // `close` comes after all is written; `error` instead of both when the program could not be run.
    child.once('error', (error) => ended(CallError.from(error)));
    child.once('exit', (code) => {
      if (code === 0) return left();
      ended(startReason(code, (readIfThere(log) ?? '').slice(-MOST_READ_CHARS), log));
    });
    child.unref();
  }

  /** It is ready, and on its own. */
  function left(): void {
    state = 'idle';
    release();
  }

  function ended(error: CallError): void {
    state = 'idle';
    if (isHomeTaken(error) || isStopped(error)) wait(error);
    else outcome = error;
    release();
  }

  function wait(error: CallError): void {
    taken = error;
    // It says nothing about why the other one does not answer, and would put aside what may.
    rmSync(log, { force: true });
    notBeforeMs = clock.monotonic() + pauseMs;
    pauseMs = Math.min(MOST_TAKEN_PAUSE_MS, pauseMs * 2);
  }

  function release(): void {
    claim?.release();
    claim = undefined;
  }

  return {
    get taken() {
      return taken;
    },
    go() {
      if (outcome) throw outcome;
      if (state === 'starting' || clock.monotonic() < notBeforeMs) return;
      checkHome(home);
      prepareHome(home);
      claim = claimStart(join(home.root, 'daemon.starting'), clock);
      if (claim) start();
    },
    release,
  };
}

/** Apart from the terminal, the process group and the descendants of whoever needs it: it outlives them. */
function launch(
  [command, ...first]: readonly [string, ...string[]],
  env: ReachOptions['env'],
  home: Home,
  log: string,
): ChildProcess {
  setAside(log);
  const output = openSync(log, 'a', 0o600);
  try {
    return spawn(command, [...first, 'serve', '--autostart', '--detach'], {
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

/** What the last daemon said may not have been read yet, and one that is still going goes on writing there. */
function setAside(log: string): void {
  const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0) renameSync(log, `${log}.1`);
}

function thisProgram(): [string, ...string[]] {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return [process.execPath, ...flags, process.argv[1] ?? ''];
}
