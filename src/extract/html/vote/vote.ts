import type { PageBlock } from '../blocks/block.ts';
import type { PageKind } from '#core/extract/extractor.ts';
import type { PageAnalysis } from '../analyse.ts';
import { chooseBlocks } from './choose.ts';
import { VOTE_MODEL } from './model.ts';
import { probability } from './trees.ts';

export interface VoteResult {
  readonly kind: PageKind;
  /** The chosen blocks in the order of the page. */
  readonly blocks: readonly PageBlock[];
  readonly confidence: number;
}

/**
 * Decides each block with the verdicts of both extractors, the block's own measures, its
 * surroundings and the kind of the page.
 */
export function vote(analysis: PageAnalysis): VoteResult {
  const { blocks } = analysis.page;
  const chances = VOTE_MODEL.kinds.map(([, trees]) => probability(trees, analysis.signals));
  const kind = VOTE_MODEL.kinds[chances.indexOf(Math.max(...chances))]?.[0] ?? 'article';
  const probabilities = new Float64Array(blocks.length);
  analysis.visitRows(chances, (row, index) => {
    probabilities[index] = probability(VOTE_MODEL.vote, row);
  });
  const kept = chooseBlocks(analysis, kind, probabilities);
  return {
    kind,
    blocks: withImages(blocks, kept),
    confidence: confidenceOf(kept, probabilities),
  };
}

/** Images and rules have no words to decide by: they are kept between kept blocks. */
function withImages(
  blocks: readonly PageBlock[],
  kept: ReadonlySet<PageBlock>,
): readonly PageBlock[] {
  const nextKept: boolean[] = [];
  let isNext = false;
  for (let i = blocks.length - 1; i >= 0; i--) {
    const block = blocks[i] as PageBlock;
    nextKept[i] = isNext;
    if (block.words > 0) isNext = kept.has(block);
  }
  let isPrevious = false;
  return blocks.filter((block, i) => {
    if (block.words === 0) return isPrevious && nextKept[i] === true;
    isPrevious = kept.has(block);
    return isPrevious;
  });
}

/** The mean certainty of the kept words. */
function confidenceOf(kept: ReadonlySet<PageBlock>, probabilities: Float64Array): number {
  let words = 0;
  let sum = 0;
  for (const block of kept) {
    words += block.words;
    sum += block.words * (probabilities[block.index] as number);
  }
  return words === 0 ? 0 : Math.round((sum / words) * 100) / 100;
}
