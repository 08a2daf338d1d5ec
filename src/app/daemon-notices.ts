import type { LoadedConfig } from '#config/load.ts';
import type { Notice } from '#core/messages/notices.ts';
import { createClientSettings, type ClientSettings } from './client-settings.ts';
import type { Doors } from './doors.ts';
import { portTakenNotice } from './listening-words.ts';

/** What the daemon would have its user know. */
export const NOTICES_METHOD = 'exai/notices';

export interface DaemonNotices {
  /** For the owner: about the daemon, and about the settings of every client that is connected. */
  readonly all: () => readonly Notice[];
  /** For a client that connects: about the daemon, and about this client's settings. */
  readonly clientArrived: ClientSettings['arrived'];
  readonly clientLeft: ClientSettings['left'];
}

/** `fixed`: known at start. A port that another program holds is known when the doors are open. */
export function createDaemonNotices(
  loaded: LoadedConfig,
  fixed: readonly Notice[],
  doors: () => Pick<Doors, 'portTaken' | 'bound'> | undefined,
): DaemonNotices {
  const clientSettings = createClientSettings(loaded);
  const ofDaemon = () => {
    const { portTaken, bound } = doors() ?? {};
    const port = portTaken ? [portTakenNotice(portTaken, bound?.url)] : [];
    return [...fixed, ...port];
  };
  return {
    all: () => [...ofDaemon(), ...clientSettings.notices()],
    clientArrived: (settings) => [...ofDaemon(), ...clientSettings.arrived(settings)],
    clientLeft: (settings) => clientSettings.left(settings),
  };
}
