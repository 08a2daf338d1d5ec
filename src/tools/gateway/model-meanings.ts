import { matchesWildcard } from '#core/wildcard.ts';

/** What names mean that nobody here knows; every other name is itself. */
export interface ModelMeanings {
  meaningOf(name: string, isKnown: (name: string) => boolean): string;
  /** The names that are written out, in the order of the entries. */
  readonly names: readonly string[];
}

interface Meaning {
  readonly pattern: string;
  readonly model: string;
}

/** Of `claude-*=auto` and the like: the first that fits, case aside. Where both sides are one, a name means itself. */
export function createModelMeanings(entries: readonly string[]): ModelMeanings {
  const written = entries.map(readEntry);
  const meanings = written.map(({ pattern, model }) => ({
    pattern: pattern.toLowerCase(),
    ...(model.toLowerCase() !== pattern.toLowerCase() && { model }),
  }));
  return {
    meaningOf(name, isKnown) {
      const wanted = name.trim().toLowerCase();
      if (wanted === '' || wanted === 'auto') return name;
      const found = meanings.find(({ pattern }) => matchesWildcard(wanted, pattern));
      return found?.model === undefined || isKnown(name) ? name : found.model;
    },
    names: written.flatMap(({ pattern }) => (pattern.includes('*') ? [] : [pattern])),
  };
}

function readEntry(text: string): Meaning {
  const at = text.indexOf('=');
  return { pattern: text.slice(0, at), model: text.slice(at + 1) };
}
