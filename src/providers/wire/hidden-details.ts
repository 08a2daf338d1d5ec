import type { JsonObject } from '#core/json.ts';
import type { KeyFilter } from './hide-keys.ts';

/** Thoughts as some vendors stream them: entries of which each has the next piece of a text. */
export interface HiddenDetails {
  take(details: readonly JsonObject[]): readonly JsonObject[];
  /** What was held back, as an entry of its own. */
  end(): readonly JsonObject[];
}

const PIECES = ['text', 'summary'] as const;

/** Hides keys in them that come in pieces; what is whole in one entry was hidden before. */
export function createHiddenDetails(keys: KeyFilter): HiddenDetails {
  const stream = keys.stream();
  let last: { readonly entry: JsonObject; readonly name: string } | undefined;

  function hidden(entry: JsonObject): JsonObject {
    const name = PIECES.find((each) => typeof entry[each] === 'string');
    if (name === undefined) return entry;
    const said = entry[name] as string;
    const told = stream.take(said);
    last = { entry, name };
    return told === said ? entry : { ...entry, [name]: told };
  }

  return {
    take: (details) => details.map(hidden),
    end() {
      const rest = stream.flush();
      return rest === '' || !last ? [] : [{ ...last.entry, [last.name]: rest }];
    },
  };
}
