import type { DaemonRecord } from '#app/daemon/daemon-file.ts';
import { daemonState } from '#app/daemon/daemon-state.ts';
import { listenWarnings } from '#app/listeners/listen-warnings.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { sleep } from '#core/time/clock.ts';
import { deadlineIn, remainingMs } from '#core/time/deadline.ts';
import type { Io } from './io.ts';
import { printNotices, runWithDaemon } from './run-with-daemon.ts';

const RECORD_WITHIN_MS = 10_000;
const PAUSE_MS = 20;

export interface BackgroundStart {
  /** `kept`: the daemon was running before. */
  readonly change: 'started' | 'kept';
  readonly record: DaemonRecord;
}

/**
 * Starts the daemon of this home in the background, unless one runs, and waits until it answers. A
 * daemon of an older version is replaced.
 */
export async function startInBackground(io: Pick<Io, 'env' | 'stderr'>): Promise<BackgroundStart> {
  const before = daemonState(homePaths(io.env));
  // The command asks for a daemon, whatever EXAI_AUTOSTART says of other commands.
  await runWithDaemon(io, async ({ notices }) => printOtherNotices(io, notices), {
    autostart: 'on',
    noticeOutput: 'skip',
  });
  const record = await readRecord(io);
  const isSame = before.is === 'running' && before.record.instance === record.instance;
  return { change: isSame ? 'kept' : 'started', record };
}

/** `start` and `restart` print the problem with the port below the addresses. */
function printOtherNotices(io: Pick<Io, 'stderr'>, notices: readonly SentNotice[]): void {
  const others = notices.filter(({ data }) => data?.code !== 'port_taken');
  printNotices(
    io,
    others.map(({ text }) => text),
  );
}

/** The record is written a moment after the daemon answers on its socket. */
async function readRecord({ env }: Pick<Io, 'env'>): Promise<DaemonRecord> {
  const home = homePaths(env);
  const end = deadlineIn(systemClock, RECORD_WITHIN_MS);
  for (;;) {
    const state = daemonState(home);
    if (state.is === 'running') return state.record;
    if (remainingMs(end, systemClock) === 0) {
      throw new CallError('timeout', `The daemon of ${home.root} started, and is gone again.`, {
        fix: 'exai logs',
      });
    }
    await sleep(systemClock, PAUSE_MS);
  }
}

/** The addresses of a daemon, as `start` and `restart` print them. */
export function addressRows(record: DaemonRecord, socketFile: string): string[][] {
  const { url, gateway } = record;
  return url === undefined
    ? [['socket', socketFile]]
    : [
        ['mcp', `${url}/mcp`],
        ...(gateway === 'on' ? [['gateway', `${url}/v1`]] : []),
        ['socket', socketFile],
      ];
}

export function printListenWarnings(io: Pick<Io, 'stderr'>, record: DaemonRecord): void {
  for (const { message, fix } of listenWarnings(record)) {
    io.stderr.write(`exai: ${message}\n  fix: ${fix}\n`);
  }
}
