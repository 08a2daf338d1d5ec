import { environment, type Environment } from '#config/environment.ts';
import { findMissingSettings, type MissingSetting } from '#config/load/missing-settings.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { settingDigest } from '#core/local-socket/handshake.ts';
import { distinctNotices, notice, type Notice } from '#core/messages/notices.ts';
import type { Listeners } from '../listeners/listeners.ts';
import { portTakenNotice } from '../listeners/listen-warnings.ts';

/** Lists the daemon's notices for its user. */
export const NOTICES_METHOD = 'exai/notices';

interface DaemonNotices {
  /** For the owner: notices about the daemon and about the settings of all connected clients. */
  readonly all: () => readonly Notice[];
  /** For a connecting client: notices about the daemon and about this client's settings. */
  readonly clientArrived: ClientSettings['arrived'];
  readonly clientLeft: ClientSettings['left'];
}

/**
 * `ofParts`: what the parts of the daemon report now. A default port held by another program is
 * known once the listeners are open.
 */
export function createDaemonNotices(
  loaded: LoadedConfig,
  ofParts: () => readonly Notice[],
  listeners: () => Pick<Listeners, 'portTaken' | 'bound'> | undefined,
): DaemonNotices {
  const clientSettings = createClientSettings(loaded);
  const ofDaemon = () => {
    const { portTaken, bound } = listeners() ?? {};
    const port = portTaken ? [portTakenNotice(portTaken, bound?.url)] : [];
    return [...ofParts(), ...port];
  };
  return {
    all: () => [...ofDaemon(), ...clientSettings.notices()],
    clientArrived: (settings) => [...ofDaemon(), ...clientSettings.arrived(settings)],
    clientLeft: (settings) => clientSettings.left(settings),
  };
}

type Digests = Readonly<Record<string, string>>;

interface ClientSettings {
  /**
   * Registers a client with its settings, as digests by variable. Returns notices about those that
   * this daemon lacks.
   */
  arrived(theirs: Digests): readonly Notice[];
  left(theirs: Digests): void;
  /** Notices about all connected clients. */
  notices(): readonly Notice[];
}

// Clients may have many environments; the limit keeps the list readable.
const MAX_NOTICES = 32;

/**
 * Tracks settings in the environment of clients that this daemon lacks or has with another value.
 */
export function createClientSettings(
  loaded: LoadedConfig,
  env: Environment = environment,
): ClientSettings {
  // The missing settings of connected clients, which are the same for many of them.
  const present = new Map<string, { readonly theirs: Digests; clients: number }>();
  const lackedOf = (theirs: Digests) => findMissingSettings(theirs, loaded, env, settingDigest);

  return {
    arrived(theirs) {
      const lacked = lackedOf(theirs);
      if (lacked.length === 0) return [];
      const { key, digests } = missingDigests(theirs, lacked);
      const alike = present.get(key);
      if (alike) alike.clients += 1;
      else present.set(key, { theirs: digests, clients: 1 });
      return lacked.map(toNotice);
    },
    left(theirs) {
      const { key } = missingDigests(theirs, lackedOf(theirs));
      const alike = present.get(key);
      if (!alike) return;
      alike.clients -= 1;
      if (alike.clients === 0) present.delete(key);
    },
    // Evaluated on each call, because a missing setting may have been stored in the meantime.
    notices() {
      let notices: readonly Notice[] = [];
      for (const { theirs } of present.values()) {
        notices = distinctNotices([...notices, ...lackedOf(theirs).map(toNotice)]);
        if (notices.length >= MAX_NOTICES) break;
      }
      return notices.slice(0, MAX_NOTICES);
    },
  };
}

/** Only the missing settings are remembered, so that a client cannot fill the memory. */
function missingDigests(
  theirs: Digests,
  lacked: readonly MissingSetting[],
): { readonly key: string; readonly digests: Digests } {
  const digests = Object.fromEntries(lacked.map(({ name }) => [name, theirs[name] ?? '']));
  return { key: JSON.stringify(digests), digests };
}

function toNotice({ name, state, command }: MissingSetting): Notice {
  return notice('setting_differs', { variable: name, state, command });
}
