import type { PageBlock } from '../../../src/extract/html/blocks/block.ts';
import { blockText } from '../../../src/extract/html/text-view.ts';
import { wordsOf } from '../word-f1.ts';

export interface LabelledBlock {
  readonly words: readonly string[];
  /** Whether the block is part of the true text; `undefined` without words. */
  readonly isTrue: boolean | undefined;
}

/** Finds each block in the true text: by its line, or by half of its runs of three words. */
export function labelBlocks(blocks: readonly PageBlock[], truth: string): LabelledBlock[] {
  const all = wordsOf(truth);
  const lines = new Set(truth.split('\n').map((line) => wordsOf(line).join(' ')));
  const single = new Set(all);
  const pairs = new Set(all.map((word, i) => `${word} ${all[i + 1]}`));
  const triples = new Set(all.map((word, i) => `${word} ${all[i + 1]} ${all[i + 2]}`));
  const texts = blocks.map((block) => wordsOf(blockText(block)));
  const found = texts.map((words) => {
    if (words.length === 0) return undefined;
    if (lines.has(words.join(' '))) return 'yes';
    if (words.length < 3)
      return (words.length === 2 ? pairs : single).has(words.join(' ')) ? 'maybe' : 'no';
    const runs = words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`);
    return runs.filter((run) => triples.has(run)).length * 2 >= runs.length ? 'yes' : 'no';
  });
  const left = new Map<string, number>();
  for (const word of all) left.set(word, (left.get(word) ?? 0) + 1);
  return texts.map((words, i) => {
    const own = found[i];
    if (own === undefined) return { words, isTrue: undefined };
    // One or two words are everywhere; beside a true block they are meant.
    const isFound =
      own === 'yes' || (own === 'maybe' && (found[i - 1] === 'yes' || found[i + 1] === 'yes'));
    return { words, isTrue: isFound && take(words, left) };
  });
}

/** Pages repeat parts, as for small screens: a block is true as often as the true text has it. */
function take(words: readonly string[], left: Map<string, number>): boolean {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let present = 0;
  for (const [word, count] of counts) present += Math.min(count, left.get(word) ?? 0);
  if (words.length >= 3 && present * 2 < words.length) return false;
  for (const [word, count] of counts) left.set(word, Math.max(0, (left.get(word) ?? 0) - count));
  return true;
}
