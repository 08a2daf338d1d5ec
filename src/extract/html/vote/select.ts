import type { PageBlock } from '../blocks/block.ts';

/**
 * Chooses the blocks with the best expected F1: sorted by probability, as many as raise it. A fixed
 * limit would drop nearly all of a list page, where no block is certain.
 */
export function selectBlocks(
  blocks: readonly PageBlock[],
  probabilities: Float64Array,
): Set<PageBlock> {
  const ranked = blocks
    .filter(({ words }) => words > 0)
    .toSorted((a, b) => (probabilities[b.index] as number) - (probabilities[a.index] as number));
  let expected = 0;
  for (const block of ranked) expected += weight(block, probabilities);
  let kept = 0;
  let correct = 0;
  let best = 0;
  let count = 0;
  for (const [index, block] of ranked.entries()) {
    correct += weight(block, probabilities);
    kept += block.words;
    const f1 = (2 * correct) / (kept + expected);
    if (f1 > best) {
      best = f1;
      count = index + 1;
    }
  }
  return new Set(ranked.slice(0, count));
}

function weight({ words, index }: PageBlock, probabilities: Float64Array): number {
  return words * (probabilities[index] as number);
}
