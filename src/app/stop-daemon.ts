import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import { sleep, type Clock } from '#core/clock.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { getLocal } from '#net/get-local.ts';
import { placeOf, type DaemonRecord } from './daemon-file.ts';
import { daemonState, reachRunning } from './daemon-state.ts';
import { localTarget } from './own-url.ts';
import { pidNamespace } from './pid-namespace.ts';
import { isHomeClaimed } from './single-instance.ts';

const POLL_MS = 20;
const PATIENCE_MS = 1000;
const ANSWER_WITHIN_MS = 3000;
// The drain a daemon may be configured for is not known here; `exai stop` waits as long as the longest one allowed.
const STOP_WITHIN_MS = 660_000;
// The lock goes a moment before the process does.
const EXIT_WITHIN_MS = 2000;

/**
 * Asks the daemon to stop and waits until it is gone. Gives what was stopped, or nothing when none ran. `onWait` hears
 * what is waited for.
 */
export async function stopDaemon(
  home: Home,
  clock: Clock,
  token: string,
  onWait: (words: string) => void,
): Promise<DaemonRecord | undefined> {
  // One that is just stopping drains as long as any.
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
  signal(record.pid);
  const soon = await until(clock, PATIENCE_MS, () => !isHomeClaimed(home));
  if (!soon) onWait(`Waiting for pid ${record.pid} to finish what it is doing.`);
  const gone = soon || (await until(clock, STOP_WITHIN_MS, () => !isHomeClaimed(home)));
  if (!gone) throw tooSlow(record.pid);
  await until(clock, EXIT_WITHIN_MS, () => !isAlive(record.pid));
  return record;
}

/** Whether the process that holds the home wrote the record: a pid alone may be a stranger's, and a file may be forged. */
async function isItself(
  record: DaemonRecord,
  home: Home,
  clock: Clock,
  token: string,
): Promise<boolean> {
  const { instance, pid } = record;
  try {
    const target = localTarget(record);
    if (!target) {
      const link = await reachRunning(record, home, clock);
      link.close();
      return link.welcome.instance === instance;
    }
    const { url, ...tls } = target;
    const call = { timeoutMs: ANSWER_WITHIN_MS, clock, token, ...tls };
    const { body } = await getLocal(`${url}/healthz`, call);
    const told = JSON.parse(body) as { instance?: unknown; pid?: unknown };
    // The pid is told only to who bears the token.
    return told.instance === instance && (told.pid ?? pid) === pid;
  } catch {
    // No answer, or one that is not ours: not confirmed.
    return false;
  }
}

/** Whether the condition came true in time. */
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
    // It ended by itself between our look and our signal.
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
    // ESRCH: gone. EPERM: a stranger has the number now, so ours is gone.
    return false;
  }
}

function elsewhere(record: DaemonRecord): CallError {
  return new CallError(
    'permission',
    `The daemon at ${placeOf(record)} runs in another container.`,
    {
      fix: 'Stop it there, where its process can be told from others.',
    },
  );
}

function unconfirmed(record: DaemonRecord, home: Home): CallError {
  const { pid } = record;
  return new CallError(
    'timeout',
    `The daemon at ${placeOf(record)} does not answer, so it is not certain that pid ${pid} is it.`,
    {
      fixes: [
        command(`fuser ${home.lockFile}`, 'see who holds the home'),
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
      fixes: [command(`fuser ${home.lockFile}`, 'find it')],
    },
  );
}

function tooSlow(pid: number): CallError {
  return new CallError('timeout', `The daemon (pid ${pid}) is still finishing its work.`, {
    fixes: [fix('wait'), command(`kill -9 ${pid}`, 'end it at once')],
  });
}
