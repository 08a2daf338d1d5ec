import { environment, type Environment } from '#config/environment.ts';
import { lackingSettings, type LackingSetting } from '#config/lacking-settings.ts';
import type { LoadedConfig } from '#config/load.ts';
import { settingDigest } from '#core/local-socket/handshake.ts';
import { distinctNotices, notice, type Notice } from '#core/messages/notices.ts';

type Digests = Readonly<Record<string, string>>;

export interface ClientSettings {
  /** A client has these settings, given as digests by variable: what this daemon lacks of them. */
  arrived(theirs: Digests): readonly Notice[];
  left(theirs: Digests): void;
  /** Of all clients that are there. */
  notices(): readonly Notice[];
}

// Clients may bring many environments; what is told of them stays readable.
const MAX_NOTICES = 32;

/** Knows which settings clients have in their environment and this daemon has not, or has otherwise. */
export function createClientSettings(
  loaded: LoadedConfig,
  env: Environment = environment,
): ClientSettings {
  // What the daemon lacks of a client's settings, which is the same for many clients.
  const present = new Map<string, { readonly theirs: Digests; clients: number }>();
  const lackedOf = (theirs: Digests) => lackingSettings(theirs, loaded, env, settingDigest);

  return {
    arrived(theirs) {
      const lacked = lackedOf(theirs);
      if (lacked.length === 0) return [];
      const { key, kept } = keptOf(theirs, lacked);
      const alike = present.get(key);
      if (alike) alike.clients += 1;
      else present.set(key, { theirs: kept, clients: 1 });
      return lacked.map(toNotice);
    },
    left(theirs) {
      const { key } = keptOf(theirs, lackedOf(theirs));
      const alike = present.get(key);
      if (!alike) return;
      alike.clients -= 1;
      if (alike.clients === 0) present.delete(key);
    },
    // Looked up anew, because what a client has may have been stored meanwhile.
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

/** Of what a client said only what is lacking is remembered, so that nobody can fill the memory with the rest. */
function keptOf(
  theirs: Digests,
  lacked: readonly LackingSetting[],
): { readonly key: string; readonly kept: Digests } {
  const kept = Object.fromEntries(lacked.map(({ name }) => [name, theirs[name] ?? '']));
  return { key: JSON.stringify(kept), kept };
}

function toNotice({ name, state, command }: LackingSetting): Notice {
  return notice('setting_differs', { variable: name, state, command });
}
