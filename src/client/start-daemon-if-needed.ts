import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareHome, type Home } from '#config/home/home.ts';
import { readFileIfExists } from '#config/home/private-files.ts';
import { readStartProgress } from '#config/home/start-progress.ts';
import { checkUsableHome } from '#config/home/usable-home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { DRAIN_LINE, type Hello } from '#core/local-socket/handshake.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { deadlineIn, remainingMs } from '#core/time/deadline.ts';
import type { Link } from './link/link.ts';
import type { ConnectAttempt, ConnectOptions } from './connect-to-daemon.ts';
import { isHomeTaken, isStopped, readStartOutcome } from './start-failure.ts';
import { acquireStartLock, type StartLock } from './start-lock.ts';

const START_WITHIN_MS = 20_000;
/** A step of an upgrade, such as a table with millions of rows that is written again, reports nothing meanwhile. */
const UPGRADE_STEP_WITHIN_MS = 600_000;
const DRAIN_WITHIN_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;
/** Some other program may keep starting older daemons; stop after the second. */
const MAX_DRAINS = 2;

/** Starts a daemon if there is none, and replaces an older one with this version. */
export async function startIfNeeded(
  first: ConnectAttempt,
  attempt: () => Promise<ConnectAttempt>,
  hello: Pick<Hello, 'token'>,
  options: ConnectOptions,
): Promise<Link> {
  let found = first;
  for (let drains = 0; ; drains++) {
    const link = typeof found === 'object' ? found : await waitForOne(found, attempt, options);
    const isOlder = compareVersions(link.welcome.version, options.version) < 0;
    if (!isOlder || drains === MAX_DRAINS || options.autostart === 'off') return link;
    if (!mayReplace(link, hello)) {
      options.onOlderDaemon?.(link.welcome.version);
      return link;
    }
    await drain(link, options.clock);
    found = 'busy';
  }
}

/**
 * Only the owner may stop a daemon. A daemon that does not report this treats a client without a
 * token as the owner.
 */
function mayReplace({ welcome }: Link, { token }: Pick<Hello, 'token'>): boolean {
  return welcome.owner === true || token === undefined;
}

async function waitForOne(
  first: 'absent' | 'busy',
  attempt: () => Promise<ConnectAttempt>,
  options: ConnectOptions,
): Promise<Link> {
  const { clock, home, autostart } = options;
  const upgrade = watchUpgrade(options);
  let end = deadlineIn(clock, START_WITHIN_MS);
  const starter = createDaemonStarter(options);
  try {
    let found: ConnectAttempt = first;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.5)) {
      if (typeof found === 'object') return found;
      const withinMs = upgrade();
      if (withinMs !== undefined) end = deadlineIn(clock, withinMs);
      else if (found === 'absent') {
        if (autostart === 'off') throw noDaemon(home);
        starter.go();
      }
      if (remainingMs(end, clock) === 0) throw tooLate(home, starter.taken);
      await sleep(clock, pauseMs);
      found = await attempt();
    }
  } finally {
    starter.release();
  }
}

/**
 * How long to wait from now on while a daemon upgrades its store, and once more when it has: as long
 * as a daemon may take to start. Undefined when none does.
 */
function watchUpgrade({
  home,
  clock,
  onStartProgress,
}: Pick<ConnectOptions, 'home' | 'clock' | 'onStartProgress'>): () => number | undefined {
  let last = '';
  let changedMs = 0;
  return () => {
    const progress = readStartProgress(home);
    if (!progress) {
      const wasThere = last !== '';
      last = '';
      return wasThere ? START_WITHIN_MS : undefined;
    }
    const now = JSON.stringify(progress);
    if (now !== last) changedMs = clock.monotonic();
    last = now;
    onStartProgress?.(progress);
    return Math.max(0, changedMs + UPGRADE_STEP_WITHIN_MS - clock.monotonic());
  };
}

/** Tells an older daemon to finish its work and stop. */
async function drain(link: Link, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(DRAIN_WITHIN_MS, resolve);
    link.onLine(() => undefined);
    link.onClose(() => {
      timer.stop();
      resolve();
    });
    link.send(DRAIN_LINE);
  });
  link.close();
}

function noDaemon(home: Home): CallError {
  return new CallError('network', `No daemon runs on ${home.root}, and none may be started.`, {
    fixes: [commandFix('exai start', 'start one')],
  });
}

function tooLate(home: Home, taken: CallError | undefined): CallError {
  const detail = taken ? ` ${taken.message}` : '';
  return new CallError('timeout', `The daemon of ${home.root} did not come up in time.${detail}`, {
    fixes: [`What it said is in ${home.logDir}.`, commandFix('exai doctor', 'look for the cause')],
  });
}

export interface DaemonStarter {
  /**
   * Starts a daemon, unless this or another program is starting one already. Throws the reason if
   * one did not start.
   */
  go(): void;
  /**
   * Why the last daemon ended without failing itself: another one holds the home, or it was
   * stopped.
   */
  readonly taken: CallError | undefined;
  /** The daemon is up, or will not come up. */
  release(): void;
}

type Options = Pick<ConnectOptions, 'home' | 'env' | 'clock' | 'program'>;

/** Pause after a daemon that found the home in use or was stopped; doubled each time. */
const FIRST_TAKEN_PAUSE_MS = 500;
const MAX_TAKEN_PAUSE_MS = 5000;
const MAX_READ_CHARS = 65_536;

export function createDaemonStarter({
  home,
  env,
  clock,
  program = thisProgram(),
}: Options): DaemonStarter {
  const log = join(home.logDir, 'daemon-start.log');
  let claim: StartLock | undefined;
  let outcome: CallError | undefined;
  let taken: CallError | undefined;
  let state: 'idle' | 'starting' = 'idle';
  let pauseMs = FIRST_TAKEN_PAUSE_MS;
  let notBeforeMs = 0;

  function start(): void {
    state = 'starting';
    const child = launch(program, env, home, log);
    // `error` is emitted instead of `exit` if the program could not be run.
    child.once('error', (error) => ended(CallError.from(error)));
    child.once('exit', (code) => {
      if (code === 0) return left();
      ended(readStartOutcome(code, (readFileIfExists(log) ?? '').slice(-MAX_READ_CHARS), log));
    });
    child.unref();
  }

  /** The daemon is ready and runs on its own. */
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
    // This log does not explain why the other daemon does not answer, and would displace one that
    // does.
    rmSync(log, { force: true });
    notBeforeMs = clock.monotonic() + pauseMs;
    pauseMs = Math.min(MAX_TAKEN_PAUSE_MS, pauseMs * 2);
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
      checkUsableHome(home);
      prepareHome(home);
      claim = acquireStartLock(join(home.root, 'daemon.starting'), clock);
      if (claim) start();
    },
    release,
  };
}

/**
 * Starts the daemon detached from the terminal and the process group of its client, which it
 * outlives.
 */
function launch(
  [command, ...first]: readonly [string, ...string[]],
  env: ConnectOptions['env'],
  home: Home,
  log: string,
): ChildProcess {
  rotate(log);
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

/**
 * Rotates the log: the output of the last daemon may be unread, and a stopping one still writes to
 * it.
 */
function rotate(log: string): void {
  const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0) renameSync(log, `${log}.1`);
}

function thisProgram(): [string, ...string[]] {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return [process.execPath, ...flags, process.argv[1] ?? ''];
}

/**
 * Compares versions by the rules of semver, without build metadata: negative if `a` is older than
 * `b`, positive if newer.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is older than its release.
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return Math.sign(right.prerelease.length - left.prerelease.length);
  }
  const length = Math.max(left.prerelease.length, right.prerelease.length);
  for (let i = 0; i < length; i++) {
    const difference = compareIdentifiers(left.prerelease[i], right.prerelease[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): { numbers: number[]; prerelease: string[] } {
  const [release = '', ...rest] = (version.split('+')[0] ?? '').split('-');
  const numbers = release.split('.').map((text) => Number.parseInt(text, 10) || 0);
  return { numbers, prerelease: rest.length === 0 ? [] : rest.join('-').split('.') };
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined) return -1;
  if (right !== undefined) return 1;
  return a < b ? -1 : 1;
}

function numeric(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
