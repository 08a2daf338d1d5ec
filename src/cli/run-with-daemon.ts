import { loadWebSocket } from '#app/daemon/load-web-socket.ts';
import { systemClock } from '#app/system.ts';
import { withDaemon, type DaemonClient } from '#client/daemon-client.ts';
import { autostartOf, formatOlderDaemon, connectToDaemon } from '#client/connect-to-daemon.ts';
import { createStartProgressLines } from '#client/start-progress-lines.ts';
import { homePaths } from '#config/home/home.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { VERSION } from '#core/version.ts';
import type { Io } from './io.ts';

export interface RunWithDaemonOptions {
  readonly noticeOutput?: 'print' | 'skip';
  /** `bearer`: as the client whose token is in the environment. */
  readonly as?: 'owner' | 'bearer';
  /**
   * `off`: a running daemon is used as it is, and none is started. Defaults to the environment's
   * setting.
   */
  readonly autostart?: 'on' | 'off';
}

/**
 * Runs work with a client of this home's daemon, which is started if none runs. Its notices go to
 * stderr.
 */
export function runWithDaemon<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (client: DaemonClient) => Promise<T>,
  { noticeOutput: showing = 'print', as = 'owner', autostart }: RunWithDaemonOptions = {},
): Promise<T> {
  const onStartProgress = createStartProgressLines(systemClock, (sentence) =>
    printNotices(io, [sentence]),
  );
  const reach = () =>
    connectToDaemon({
      home: homePaths(io.env),
      kind: 'cli',
      version: VERSION,
      cwd: process.cwd(),
      env: io.env,
      clock: systemClock,
      autostart: autostart ?? autostartOf(io.env),
      as,
      loadWebSocket,
      onStartProgress,
      onOlderDaemon: (version) => printNotices(io, [formatOlderDaemon(version, VERSION)]),
    });
  return withDaemon(reach, systemClock, (client) => {
    if (showing === 'print') printNotices(io, client.notices.map(textOf));
    return work(client);
  });
}

const textOf = ({ text }: SentNotice) => text;

export function printNotices(io: Pick<Io, 'stderr'>, notices: readonly string[]): void {
  for (const notice of notices) io.stderr.write(`exai: ${notice}\n`);
}
