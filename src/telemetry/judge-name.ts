import { createBoundedMap } from '#core/bounded-map.ts';
import { hidingOf, MAX_NAME, type Hiding } from '#core/secret-names.ts';
import { maskedWithin, type Masking } from './bounded-text.ts';

/** A name as it may be shown, and what to hide of the value under it. */
export interface Verdict {
  readonly shown: string;
  readonly hiding: Hiding;
}

export type JudgeName = (name: string) => Verdict;

const MAX_REMEMBERED = 2000;

/** The same few names come back with every line; each is judged once. Of a long one only its ends are read. */
export function createNameJudge(masking: Masking): JudgeName {
  const known = createBoundedMap<string, Verdict>({ maxEntries: MAX_REMEMBERED });
  return (name) => {
    const before = name.length > MAX_NAME ? undefined : known.get(name);
    if (before) return before;
    const verdict = { shown: maskedWithin(name, MAX_NAME, masking, '…'), hiding: hidingOf(name) };
    if (name.length > MAX_NAME) return verdict;
    known.set(name, verdict);
    return verdict;
  };
}
