import type { Served } from './vendor-book.ts';

/** One attempt, as its report has to have it: a request, or one with each of several keys. */
export interface RealAttempt {
  readonly provider: string;
  readonly model: string;
  readonly outcome: Served['outcome'];
  readonly repeats: boolean;
  readonly isAmbiguous: boolean;
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
    const { provider, model, repeats, isAmbiguous } = last;
    const [mildest] = group
      .map(({ outcome }) => outcome)
      .toSorted((one, other) => OF_A_KEY.indexOf(one ?? '') - OF_A_KEY.indexOf(other ?? ''));
    // The caller's own end may be an `auth`, too.
    const outcome = isOfKey(last.outcome) && !last.wasEnded ? mildest : last.outcome;
    const keysTried = group.length;
    return [{ provider, model, repeats, isAmbiguous, outcome, keysTried, served: group }];
  });
}

/**
 * What an answer that is complete to its vendor may count as. One that only repeats the text so far is
 * empty, and a continuation that may repeat its end is refused: kept, it might double some of it.
 */
export function seenAs({ repeats, isAmbiguous }: RealAttempt, told: string | undefined): string {
  if (repeats && told === 'empty_response') return told;
  return isAmbiguous && told === 'bad_response' ? told : 'ok';
}
