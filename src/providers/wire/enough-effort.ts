import { EFFORTS, type Effort } from '#core/chat.ts';

/** The weakest that is strong enough, or else the strongest; `known` has the weakest first. */
export function enoughEffort(wish: Effort, known: readonly Effort[]): Effort | undefined {
  const enough = EFFORTS.indexOf(wish);
  return known.find((effort) => EFFORTS.indexOf(effort) >= enough) ?? known.at(-1);
}
