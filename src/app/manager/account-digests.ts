import { createHash } from 'node:crypto';
import type { Config } from '#config/schema/config.schema.ts';
import type { Json, JsonObject } from '#core/json/json.ts';

interface Saved {
  readonly key: string;
  readonly state: Json;
  readonly updatedAt: number;
}

/**
 * Digests of provider accounts. An account is a key and an address; if either changes, its stored
 * breakers are worthless.
 */
export interface AccountDigests {
  /** Removes the breakers of accounts that are no longer used. */
  known(saved: readonly Saved[]): readonly Saved[];
  /** Adds the account digest to the state. */
  marked(key: string, state: Json): Json;
  /** The digest of a provider's account; undefined for an unknown provider. */
  of(provider: string): string | undefined;
}

// Enough to distinguish two keys, too little to reveal either.
const DIGITS = 8;

export function accountDigests(providers: Config['providers']): AccountDigests {
  const { added, ...builtIn } = providers;
  const digests = new Map<string, string>(
    [...Object.entries(builtIn), ...Object.entries(added)].map(
      ([id, { apiKey, otherKeys, baseUrl }]) => [
        id,
        createHash('sha256')
          .update(`${baseUrl.replace(/\/+$/, '')}\n${apiKey}${otherKeys && `\n${otherKeys}`}`)
          .digest('hex')
          .slice(0, DIGITS),
      ],
    ),
  );
  const digestOf = (key: string) => digests.get(key.split('/', 1)[0] ?? '');
  return {
    of: digestOf,
    known: (saved) =>
      saved.filter(({ key, state }) => {
        const digest = digestOf(key);
        return digest === undefined || accountOf(state) === digest;
      }),
    marked(key, state) {
      const digest = digestOf(key);
      return digest !== undefined && isObject(state) ? { ...state, account: digest } : state;
    },
  };
}

function accountOf(state: Json): Json | undefined {
  return isObject(state) ? state['account'] : undefined;
}

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
