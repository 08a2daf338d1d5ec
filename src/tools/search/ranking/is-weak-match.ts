import { commonWordShare } from '#core/text/common-words.ts';
import { isAscii } from '#core/text/cut-words.ts';
import { relatedTerms } from '#core/text/related-words.ts';
import type { QueryTerm } from '#core/text/search-terms.ts';

/** Less of what a query tells in the best tools is a weak match, where the first is not named for it. */
const WEAK_SHARE = 0.5;
/** Only these related words mean nearly the same. */
const SAME_SHARE = 0.7;
/** The best tools, which count together: a long query has words of several. */
export const STRONGEST = 5;

interface MatchContext {
  /** The best rows, best first. */
  readonly rows: readonly number[];
  /** The terms of the name of the best tool and of its server. */
  readonly named: ReadonlySet<string>;
  /** Whether the best tool was called after searches for the term. */
  readonly isLearnt: (term: string) => boolean;
  readonly derivedFrom: (term: string) => readonly string[];
  readonly has: (term: string, row: number) => boolean;
  readonly having: (term: string) => number;
  readonly rarityOf: (having: number) => number;
}

/**
 * Whether what was found has only some words of a query by chance: the best tool is not named for
 * any of them, and the best tools together lack most of what the query tells. A search for mails
 * finds a tool that shows what would be sent, if there is no other.
 */
export function isWeakMatch(query: readonly QueryTerm[], context: MatchContext): boolean {
  const { rows, named, isLearnt, derivedFrom, has, having, rarityOf } = context;
  let [all, matched] = [0, 0];
  for (const { term, weight } of query) {
    const same = relatedTerms(term).filter(({ share }) => share >= SAME_SHARE);
    const terms = [term, ...same.map((each) => each.term), ...derivedFrom(term)];
    if (isLearnt(term) || terms.some((each) => named.has(each))) return false;
    const most = Math.max(...terms.map(having));
    // Two characters of two words, most of the time.
    if (most === 0 && same.length === 0 && !isAscii(term)) continue;
    const tells = weight * commonWordShare(term) * rarityOf(most);
    all += tells;
    if (terms.some((each) => rows.some((row) => has(each, row)))) matched += tells;
  }
  return matched < all * WEAK_SHARE;
}
