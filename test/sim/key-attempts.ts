import type { Served } from './vendor-book.ts';

/** One attempt, as its report has to have it: a request, or one with each of several keys. */
export interface RealAttempt {
  readonly provider: string;
  readonly model: string;
  readonly outcome: Served['outcome'];
  readonly repeats: boolean;
  readonly keysTried: number;
  /** Its requests. */
  readonly served: readonly Served[];
}

/** Refusals of a key or its account, after which the next key is tried; the mildest first. */
const OF_A_KEY = ['rate_limit', 'quota', 'billing', 'permission', 'auth'];

export const isOfKey = (outcome: Served['outcome']): boolean => OF_A_KEY.includes(outcome ?? '');

/** Puts the requests with several keys that belong to one attempt together. */
export function attemptsOf(all: readonly Served[]): readonly RealAttempt[] {
  const groups: Served[][] = [];
  for (const served of all) {
    const group = groups.at(-1);
    const isSame = served.context !== undefined && group?.[0]?.context === served.context;
    if (group && isSame) group.push(served);
    else groups.push([served]);
  }
  return groups.flatMap((group) => {
    const last = group.at(-1);
    if (!last) return [];
    const { provider, model, repeats } = last;
    const [mildest] = group
      .map(({ outcome }) => outcome)
      .toSorted((one, other) => OF_A_KEY.indexOf(one ?? '') - OF_A_KEY.indexOf(other ?? ''));
    // The caller's own end may be an `auth`, too.
    const outcome = isOfKey(last.outcome) && !last.wasEnded ? mildest : last.outcome;
    return [{ provider, model, repeats, outcome, keysTried: group.length, served: group }];
  });
}
