import type { Area, PageBlock } from './blocks/block.ts';
import { groupBit } from './blocks/class-groups.ts';
import type { PageBlocks } from './blocks/collect-blocks.ts';

/**
 * The first extractor, in the manner of Readability: paragraphs give points to the elements around
 * them, and the element with the most points is the main text.
 */
export interface DensityResult {
  readonly top: Area | undefined;
  /** For each block: 1 inside the best element, a part of it in a good neighbour, else 0. */
  readonly verdicts: Float64Array;
}

const GOOD = groupBit('content') | groupBit('description') | groupBit('post');
const BAD =
  groupBit('navigation') |
  groupBit('footer') |
  groupBit('side') |
  groupBit('share') |
  groupBit('related') |
  groupBit('promotion') |
  groupBit('overlay') |
  groupBit('comment') |
  groupBit('form');

const MIN_CHARS = 20;
const ANCESTORS = 5;

export function densityExtract({ blocks, areas }: PageBlocks): DensityResult {
  const paragraphs = blocks.filter(isParagraph);
  for (const block of paragraphs) {
    const points = pointsOf(block);
    // The element of the paragraph itself holds nothing else; the one around it is scored first.
    let area = isOwn(block) ? block.area.parent : block.area;
    for (let level = 0; level < ANCESTORS && area !== undefined; level++) {
      area.score += level === 0 ? points : level === 1 ? points / 2 : points / (level * 3);
      area = area.parent;
    }
  }
  const candidates: Area[] = [];
  for (const area of areas) {
    if (area.score === 0) continue;
    const weight = ((area.groups & GOOD) !== 0 ? 1.25 : 1) * ((area.groups & BAD) !== 0 ? 0.6 : 1);
    area.score *= weight * (1 - linkDensity(area));
    candidates.push(area);
  }
  const best = candidates.reduce<Area | undefined>(
    (most, area) => (most === undefined || area.score > most.score ? area : most),
    undefined,
  );
  const top = best && widen(best);
  const verdicts = new Float64Array(blocks.length);
  if (top === undefined) return { top, verdicts };
  for (let i = top.firstBlock; i < top.lastBlock; i++) verdicts[i] = 1;
  for (const block of blocks) {
    if (verdicts[block.index] === 1) continue;
    for (let area: Area | undefined = block.area, n = 0; area && n < 3; area = area.parent, n++)
      verdicts[block.index] = Math.max(
        verdicts[block.index] as number,
        Math.min(0.99, area.score / (top.score || 1)),
      );
  }
  return { top, verdicts };
}

function isParagraph(block: PageBlock): boolean {
  return (
    (block.kind === 'text' || block.kind === 'code') &&
    block.chars >= MIN_CHARS &&
    block.linkChars * 2 < block.chars
  );
}

function isOwn({ area, element }: PageBlock): boolean {
  return area.element === element && area.blocks === 1;
}

function pointsOf({ chars, commas, stops }: PageBlock): number {
  return 1 + commas + stops + Math.min(chars / 80, 4);
}

function linkDensity({ chars, linkChars }: Area): number {
  return chars === 0 ? 0 : linkChars / chars;
}

/** The article around its best section: a parent that adds much text and few links. */
function widen(best: Area): Area {
  let top = best;
  for (let area = best.parent; area !== undefined; area = area.parent) {
    const added = area.chars - top.chars;
    if (added === 0) {
      top = area;
      continue;
    }
    const addedLinks = (area.linkChars - top.linkChars) / added;
    if (area.score >= best.score * 0.7 && addedLinks < 0.3 && added > top.chars * 0.1) top = area;
  }
  return top;
}
