import { readlinkSync } from 'node:fs';
import { withDaemon } from '#client/daemon-client.ts';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { getFromDaemon } from '#net/get-from-daemon.ts';
import { displayAddress, type DaemonRecord } from './daemon-file.ts';
import { connectToRunning, daemonState } from './daemon-state.ts';
import { loopbackTarget } from '../listeners/daemon-url.ts';
import { isHomeClaimed } from './single-instance.ts';

/** Of the owner, over the unix socket: stops without the time to finish running calls. */
export const STOP_NOW_METHOD = 'exai/stop-now';

export interface StopNowAnswer {
  /** Calls that are answered with `interrupted`. */
  readonly calls: number;
}

const POLL_MS = 20;
const PATIENCE_MS = 1000;
const ANSWER_WITHIN_MS = 3000;
// The configured drain time of the daemon is unknown here, so `exai stop` waits for the longest one
// allowed.
const STOP_WITHIN_MS = 660_000;
// The lock is released shortly before the process exits.
const EXIT_WITHIN_MS = 2000;

type OnWait = (description: string) => void;

/**
 * Requests a stop and waits until the daemon is gone. Returns the record of the stopped daemon, or
 * undefined if none ran. `onWait` is called with a description of what is waited for.
 */
export function stopDaemon(
  home: Home,
  clock: Clock,
  token: string,
  onWait: OnWait,
): Promise<DaemonRecord | undefined> {
  return stopBy(home, clock, token, onWait, ({ pid }) => signal(pid));
}

/** The same without the time to finish running calls, with the number of those that it interrupted. */
export async function stopDaemonNow(
  home: Home,
  clock: Clock,
  token: string,
  onWait: OnWait,
): Promise<(StopNowAnswer & { readonly record: DaemonRecord }) | undefined> {
  let calls = 0;
  const record = await stopBy(home, clock, token, onWait, async (running) => {
    const answer = await requestStopNow(running, home, clock);
    if (answer) ({ calls } = answer);
    else {
      onWait('It has no unix socket for --now, so running calls are finished first.');
      signal(running.pid);
    }
  });
  return record && { record, calls };
}

async function stopBy(
  home: Home,
  clock: Clock,
  token: string,
  onWait: OnWait,
  requestStop: (record: DaemonRecord) => void | Promise<void>,
): Promise<DaemonRecord | undefined> {
  // A daemon that is stopping already may drain for as long.
  if (daemonState(home).is === 'between')
    onWait(
      `It is just starting or stopping; waiting for it. To see who holds the home: fuser ${home.lockFile}`,
    );
  await until(clock, STOP_WITHIN_MS, () => daemonState(home).is !== 'between');
  const state = daemonState(home);
  if (state.is === 'absent') return undefined;
  if (state.is === 'between') throw stuck(home);

  const { record } = state;
  if (record.pidNamespace !== pidNamespace()) throw elsewhere(record);
  if (!(await isItself(record, home, clock, token))) throw unconfirmed(record, home);
  await requestStop(record);
  const soon = await until(clock, PATIENCE_MS, () => !isHomeClaimed(home));
  if (!soon) onWait(`Waiting for pid ${record.pid} to finish what it is doing.`);
  const gone = soon || (await until(clock, STOP_WITHIN_MS, () => !isHomeClaimed(home)));
  if (!gone) throw tooSlow(record.pid);
  await until(clock, EXIT_WITHIN_MS, () => !isAlive(record.pid));
  return record;
}

/** Undefined: the daemon is of an older version, or has no unix socket. */
async function requestStopNow(
  record: DaemonRecord,
  home: Home,
  clock: Clock,
): Promise<StopNowAnswer | undefined> {
  try {
    const connect = () => connectToRunning(record, home, clock);
    return await withDaemon(connect, clock, async (client) => {
      const timeoutMs = ANSWER_WITHIN_MS;
      return (await client.request(STOP_NOW_METHOD, {}, { timeoutMs })) as StopNowAnswer;
    });
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that holds the home wrote the record: a pid may be reused, and a file may be
 * forged.
 */
async function isItself(
  record: DaemonRecord,
  home: Home,
  clock: Clock,
  token: string,
): Promise<boolean> {
  const { instance, pid } = record;
  try {
    const target = loopbackTarget(record);
    if (!target) {
      const link = await connectToRunning(record, home, clock);
      link.close();
      return link.welcome.instance === instance;
    }
    const { url, ...tls } = target;
    const call = { timeoutMs: ANSWER_WITHIN_MS, clock, token, ...tls };
    const { body } = await getFromDaemon(`${url}/healthz`, call);
    const health = JSON.parse(body) as { instance?: unknown; pid?: unknown };
    // The pid is returned only to callers with the token.
    return health.instance === instance && (health.pid ?? pid) === pid;
  } catch {
    // No answer, or not from our daemon: not confirmed.
    return false;
  }
}

/** Whether the condition became true in time. */
async function until(clock: Clock, withinMs: number, isTrue: () => boolean): Promise<boolean> {
  const end = clock.monotonic() + withinMs;
  while (!isTrue()) {
    if (clock.monotonic() >= end) return false;
    await sleep(clock, POLL_MS);
  }
  return true;
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended between the check and the signal.
    if (code === 'ESRCH') return;
    throw new CallError('permission', `The daemon (pid ${pid}) belongs to another user.`, {
      cause: error,
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: gone. EPERM: the pid was reused by another user's process, so ours is gone.
    return false;
  }
}

function elsewhere(record: DaemonRecord): CallError {
  return new CallError(
    'permission',
    `The daemon at ${displayAddress(record)} runs in another container.`,
    {
      fix: 'Stop it there, where its process can be told from others.',
    },
  );
}

function unconfirmed(record: DaemonRecord, home: Home): CallError {
  const { pid } = record;
  return new CallError(
    'timeout',
    `The daemon at ${displayAddress(record)} does not answer, so it is not certain that pid ${pid} is it.`,
    {
      fixes: [
        commandFix(`fuser ${home.lockFile}`, 'see who holds the home'),
        'End that with: kill -9 <pid>',
      ],
    },
  );
}

function stuck(home: Home): CallError {
  return new CallError(
    'timeout',
    `A program holds ${home.lockFile} but never says where it listens.`,
    {
      fixes: [commandFix(`fuser ${home.lockFile}`, 'find it')],
    },
  );
}

function tooSlow(pid: number): CallError {
  return new CallError('timeout', `The daemon (pid ${pid}) is still finishing its work.`, {
    fixes: [fix('wait'), commandFix(`kill -9 ${pid}`, 'end it at once')],
  });
}

/** The pid namespace of this process; empty where the system has only one. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux, or no /proc: there are no namespaces to distinguish.
    return '';
  }
}
