import type { DocumentTerms } from './document-terms.ts';

/** How much a tool gains whose description has no other terms than the query. */
const DESCRIPTION_SHARE = 1;
/** By how much each further term counts less: a description begins with the purpose. */
const LATER_SHARE = 0.1;
/** A long description says more, and a long name says that a tool is special. */
const DESCRIPTION_POWER = 0.1;
const NAME_POWER = -0.15;

/** By how much the own words of a tool raise its score: those that are, or are near, words of the query. */
export function matchShare(
  { name, description }: DocumentTerms,
  near: ReadonlyMap<string, number>,
  rarityOf: (term: string) => number,
): number {
  let [asked, all] = [0, 0];
  for (const [place, term] of description.entries()) {
    const rarity = rarityOf(term) / (1 + place * LATER_SHARE);
    all += rarity;
    asked += rarity * (near.get(term) ?? 0);
  }
  return (
    (1 + (all === 0 ? 0 : (DESCRIPTION_SHARE * asked) / all)) *
    (1 + description.length) ** DESCRIPTION_POWER *
    (1 + name.length) ** NAME_POWER
  );
}
