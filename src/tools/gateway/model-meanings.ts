import { matchesWildcard } from '#core/wildcard.ts';

/** What a name means that nobody here knows; every other name is itself. */
export type ModelMeanings = (name: string, isKnown: (name: string) => boolean) => string;

interface Meaning {
  readonly pattern: string;
  readonly model: string;
}

/** Of `claude-*=auto` and the like: the first that fits, case aside. */
export function createModelMeanings(entries: readonly string[]): ModelMeanings {
  const meanings = entries.map(readEntry);
  return (name, isKnown) => {
    const wanted = name.trim().toLowerCase();
    if (wanted === '' || wanted === 'auto') return name;
    const found = meanings.find(({ pattern }) => matchesWildcard(wanted, pattern));
    return found === undefined || isKnown(name) ? name : found.model;
  };
}

function readEntry(text: string): Meaning {
  const at = text.indexOf('=');
  return { pattern: text.slice(0, at).toLowerCase(), model: text.slice(at + 1) };
}
