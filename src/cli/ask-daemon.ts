import { withDaemon, type DaemonClient } from '#client/daemon-client.ts';
import { autostartOf, olderDaemonWords, reachDaemon } from '#client/reach-daemon.ts';
import { loadWebSocket } from '#app/load-web-socket.ts';
import { systemClock } from '#app/system.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { VERSION } from '#core/version.ts';
import { homePaths } from '#config/home.ts';
import type { Io } from './io.ts';

export interface AskOptions {
  readonly notices?: 'told' | 'left to the work';
  /** `bearer`: as the client whose token the environment names. */
  readonly as?: 'owner' | 'bearer';
  /** `off`: one that runs is asked as it is, and none is started. As the environment has it unless told. */
  readonly autostart?: 'off';
}

/** Works with the daemon of this home, which is started if none runs. What it has to say goes to stderr. */
export function askDaemon<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (client: DaemonClient) => Promise<T>,
  { notices: showing = 'told', as = 'owner', autostart }: AskOptions = {},
): Promise<T> {
  const reach = () =>
    reachDaemon({
      home: homePaths(io.env),
      kind: 'cli',
      version: VERSION,
      cwd: process.cwd(),
      env: io.env,
      clock: systemClock,
      autostart: autostart ?? autostartOf(io.env),
      as,
      loadWebSocket,
      onOlderDaemon: (version) => tellNotices(io, [olderDaemonWords(version, VERSION)]),
    });
  return withDaemon(reach, systemClock, (client) => {
    if (showing === 'told') tellNotices(io, client.notices.map(textOf));
    return work(client);
  });
}

const textOf = ({ text }: SentNotice) => text;

export function tellNotices(io: Pick<Io, 'stderr'>, notices: readonly string[]): void {
  for (const notice of notices) io.stderr.write(`exai: ${notice}\n`);
}
