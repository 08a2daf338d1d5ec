import { daemonState } from '#app/daemon-state.ts';
import { autostartOf } from '#client/reach-daemon.ts';
import type { Home } from '#config/home.ts';
import { askDaemon } from './ask-daemon.ts';
import type { Io } from './io.ts';

export interface StartWishes {
  /** `--no-start` */
  readonly start: 'if_need_be' | 'never';
  /** `--config`: a daemon that is started from here would not read that file. */
  readonly settings: 'own' | 'of_another_file';
}

/** Starts the daemon as a question would, as a tool that is pointed at nobody hangs and says nothing. */
export async function startForTool(
  io: Pick<Io, 'env' | 'stderr'>,
  home: Home,
  { start, settings }: StartWishes,
): Promise<void> {
  const isOff = start === 'never' || settings !== 'own' || autostartOf(io.env) === 'off';
  if (isOff || daemonState(home).is === 'running') return;
  await askDaemon(io, async () => undefined, { notices: 'left to the work' });
}
