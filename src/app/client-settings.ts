import { environment } from '#config/environment.ts';
import { lackingSettings } from '#config/lacking-settings.ts';
import type { LoadedConfig } from '#config/load.ts';
import { settingDigest } from '#transport/local/handshake.ts';

export interface ClientSettings {
  /** What this daemon lacks of a client's settings, given as digests by variable: a sentence each. */
  lacking(theirs: Readonly<Record<string, string>>): readonly string[];
  /** Of all clients so far. */
  notices(): readonly string[];
}

// Clients may bring many environments; what is told of them stays readable.
const MAX_NOTICES = 32;

/** Remembers which settings clients have in their environment and this daemon has not, or has otherwise. */
export function createClientSettings(loaded: LoadedConfig): ClientSettings {
  const notices = new Set<string>();
  return {
    lacking(theirs) {
      const found = lackingSettings(theirs, loaded, environment, settingDigest);
      const sentences = found.map(
        ({ name, fix }) =>
          `${name} is set where a client runs, but the daemon has another value or none. To give it: ${fix}`,
      );
      for (const sentence of sentences) if (notices.size < MAX_NOTICES) notices.add(sentence);
      return sentences;
    },
    notices: () => [...notices],
  };
}
