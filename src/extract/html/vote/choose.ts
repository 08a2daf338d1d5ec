import type { PageKind } from '#core/extract/extractor.ts';
import type { PageAnalysis } from '../analyse.ts';
import type { Area, PageBlock } from '../blocks/block.ts';
import { blockText } from '../text-view.ts';
import { selectBlocks } from './select.ts';

/** Shorter blocks, such as labels, repeat on purpose. */
const MIN_REPEATED_WORDS = 4;
/** Up to here a page has too little text for the measures to tell its parts apart. */
const SMALL_PAGE_WORDS = 250;

/** The kept blocks: the best by probability, what both extractors agree on among them, each once. */
export function chooseBlocks(
  analysis: PageAnalysis,
  kind: PageKind,
  probabilities: Float64Array,
): Set<PageBlock> {
  const { blocks } = analysis.page;
  const kept = selectBlocks(blocks, probabilities);
  addAgreed(analysis, kept);
  // Reference pages repeat notes and examples on purpose.
  if (kind !== 'documentation' && kind !== 'service') dropRepeated(blocks, kept);
  return kept;
}

/** A short code block or list between kept blocks is part of the text; on a small page, after them, too. */
function addAgreed(analysis: PageAnalysis, kept: Set<PageBlock>): void {
  if (kept.size === 0) return;
  const { blocks, words } = analysis.page;
  const isSmall = words <= SMALL_PAGE_WORDS;
  const first = blocks.findIndex((block) => kept.has(block));
  const last = blocks.findLastIndex((block) => kept.has(block));
  const from = isSmall ? 0 : first;
  const to = isSmall ? blocks.length : last;
  for (let i = from; i < to; i++) {
    const block = blocks[i] as PageBlock;
    if (block.words > 0 && analysis.isAgreed(block) && isText(block)) kept.add(block);
  }
}

function isText({ chars, linkChars, isControl }: PageBlock): boolean {
  return !isControl && linkChars * 2 < chars;
}

/**
 * Pages repeat parts for small screens and for scripts, elsewhere in the page. In the same place, as
 * in the refrain of a song, a repetition is part of the text.
 */
function dropRepeated(blocks: readonly PageBlock[], kept: Set<PageBlock>): void {
  const known = new Map<string, Area | undefined>();
  for (const block of blocks) {
    if (block.words < MIN_REPEATED_WORDS || !kept.has(block)) continue;
    const text = blockText(block);
    const place = placeOf(block);
    if (!known.has(text)) known.set(text, place);
    else if (known.get(text) !== place) kept.delete(block);
  }
}

/** The element around the block and its neighbours. */
function placeOf({ area }: PageBlock): Area | undefined {
  return area.blocks === 1 ? area.parent : area;
}
