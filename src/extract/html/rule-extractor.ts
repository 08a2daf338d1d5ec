import type { Area, PageBlock } from './blocks/block.ts';
import { groupBit } from './blocks/class-groups.ts';
import type { PageBlocks } from './blocks/collect-blocks.ts';
import { regionBit } from './blocks/regions.ts';

/**
 * The second extractor, in the manner of trafilatura: ordered rules find the body of the page, and
 * further rules discard what is not text of it. It shares nothing with the first but the tree.
 */
export interface RuleResult {
  readonly body: Area | undefined;
  /** Which rule found it; 0 is the strongest. */
  readonly rule: number;
  /** For each block: 2 kept, 1 in the body but discarded, 0 outside of it. */
  readonly verdicts: Uint8Array;
}

const CONTENT = groupBit('content');
const POST = groupBit('post') | groupBit('description');
const ARTICLE = regionBit('article');
const MAIN = regionBit('main');

const DISCARDED_GROUPS =
  groupBit('navigation') |
  groupBit('footer') |
  groupBit('side') |
  groupBit('share') |
  groupBit('related') |
  groupBit('promotion') |
  groupBit('overlay') |
  groupBit('form') |
  groupBit('unseen');
const DISCARDED_REGIONS =
  regionBit('navigation') |
  regionBit('footer') |
  regionBit('aside') |
  regionBit('form') |
  regionBit('dialog');

const RULES: readonly ((area: Area) => boolean)[] = [
  ({ element }) => /\b(?:articleBody|text)\b/.test(element.get('itemprop') ?? ''),
  (area) => (area.region & ARTICLE) !== 0,
  (area) => (area.groups & POST) !== 0 && (area.groups & CONTENT) !== 0,
  (area) => (area.region & MAIN) !== 0,
  (area) => (area.groups & CONTENT) !== 0 && (area.groups & DISCARDED_GROUPS) === 0,
];

/** A body holds at least this share of the text that is not links. */
const MIN_SHARE = 0.3;

export function ruleExtract({ blocks, areas, chars, linkChars }: PageBlocks): RuleResult {
  const plain = Math.max(1, chars - linkChars);
  const { body, rule } = findBody(areas, plain);
  const verdicts = new Uint8Array(blocks.length);
  const discards = new Map<Area, boolean>();
  const from = body?.firstBlock ?? 0;
  const to = body?.lastBlock ?? blocks.length;
  for (let i = from; i < to; i++) {
    const block = blocks[i] as PageBlock;
    verdicts[i] = isDiscarded(block.area, body, discards) || isLinkLine(block) ? 1 : 2;
  }
  return { body, rule, verdicts };
}

function findBody(areas: readonly Area[], plain: number): { body: Area | undefined; rule: number } {
  for (const [rule, matches] of RULES.entries()) {
    let body: Area | undefined;
    for (const area of areas) {
      const text = area.chars - area.linkChars;
      if (text < plain * MIN_SHARE || !matches(area)) continue;
      // The innermost that still holds nearly all of the text of the outer one.
      if (body === undefined || text > (body.chars - body.linkChars) * 0.9) body = area;
    }
    if (body !== undefined) return { body, rule };
  }
  return { body: undefined, rule: RULES.length };
}

/** Discarded itself, or inside of what is; each element is judged once. */
function isDiscarded(area: Area, body: Area | undefined, known: Map<Area, boolean>): boolean {
  if (area === body) return false;
  const before = known.get(area);
  if (before !== undefined) return before;
  const isOwn =
    (area.region & DISCARDED_REGIONS) !== 0 ||
    ((area.groups & DISCARDED_GROUPS) !== 0 && (area.groups & CONTENT) === 0);
  const result = isOwn || (area.parent !== undefined && isDiscarded(area.parent, body, known));
  known.set(area, result);
  return result;
}

function isLinkLine({ chars, linkChars, kind }: PageBlock): boolean {
  return kind !== 'heading' && chars < 300 && linkChars > chars * 0.8;
}
