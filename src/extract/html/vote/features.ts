import type { Area, PageBlock } from '../blocks/block.ts';
import { CLASS_GROUPS } from '../blocks/class-groups.ts';
import type { PageBlocks } from '../blocks/collect-blocks.ts';
import { REGIONS } from '../blocks/regions.ts';
import type { DensityResult } from '../density-extractor.ts';
import type { RuleResult } from '../rule-extractor.ts';

const BLOCK_FEATURES = [
  'chars',
  'words',
  'linkDensity',
  'links',
  'stopRate',
  'commaRate',
  'digitRate',
  'capitalRate',
  'endsSentence',
  'level',
  'isCode',
  'isTable',
  'isImage',
  'isItem',
  'isQuote',
  'isTerm',
  'isCaption',
  'isParagraph',
  'isDiv',
  'inLink',
  'isControl',
  'images',
  'depth',
  'position',
  'index',
  'density',
  'rule',
  'inTop',
  'topDistance',
  'afterTop',
  'isTitle',
  'afterTitle',
  'isRepeated',
  'prevChars',
  'prevLink',
  'prevLevel',
  'nextChars',
  'nextLink',
  'nextLevel',
  'prev2Chars',
  'next2Chars',
  'windowChars',
  'windowLink',
  'sectionChars',
  'sectionLink',
] as const;

const AREA_LEVELS = 4;
const AREA_FEATURES = ['chars', 'share', 'link', 'blocks', 'stops', 'repeats'] as const;

export const VOTE_FEATURES: readonly string[] = [
  ...BLOCK_FEATURES,
  ...Array.from({ length: AREA_LEVELS }, (_, level) =>
    AREA_FEATURES.map((name) => `area${level}.${name}`),
  ).flat(),
  ...REGIONS.map((name) => `in.${name}`),
  ...CLASS_GROUPS.map((name) => `near.${name}`),
  ...CLASS_GROUPS.map((name) => `path.${name}`),
  'repeatDepth',
  'repeatCount',
  'repeatChars',
  'occurrence',
  'alikeCount',
  'alikeChars',
  'alikeMean',
  'alikeLink',
  'alikeStops',
  'alikeShare',
];

interface PathFacts {
  readonly regions: number;
  readonly groups: number;
  /** The innermost element with many alike children. */
  readonly repeated: Area | undefined;
}

/**
 * One row of numbers for each block, the page's signals at its end. The row is reused: what is kept
 * of it has to be copied.
 */
export function featureRows(
  { blocks, chars: pageChars }: PageBlocks,
  density: DensityResult,
  rule: RuleResult,
  signals: readonly number[],
  visit: (row: Float64Array, index: number) => void,
): void {
  const width = VOTE_FEATURES.length + signals.length;
  const row = new Float64Array(width);
  const paths = new Map<Area, PathFacts>();
  const seen = countAlike(blocks);
  const forms = formsOf(blocks);
  const occurrence = occurrences(blocks);
  const titleAt = findTitle(blocks);
  const sections = sectionSums(blocks);
  const { top } = density;
  for (const block of blocks) {
    const { index, chars, area } = block;
    let at = 0;
    const put = (value: number): void => {
      row[at++] = value;
    };
    const per = Math.max(1, chars);
    const frame = block.frame?.kind;
    const previous = blocks[index - 1];
    const next = blocks[index + 1];
    const section = sections[index] as Section;
    put(log(chars));
    put(log(block.words));
    put(block.linkChars / per);
    put(Math.min(block.links, 30));
    put((block.stops / per) * 100);
    put((block.commas / per) * 100);
    put(block.digits / per);
    put(block.capitals / per);
    put(block.endsSentence ? 1 : 0);
    put(block.level);
    put(block.kind === 'code' ? 1 : 0);
    put(block.kind === 'table' ? 1 : 0);
    put(block.kind === 'image' ? 1 : 0);
    put(frame === 'item' ? 1 : 0);
    put(frame === 'quote' ? 1 : 0);
    put(frame === 'term' || frame === 'definition' ? 1 : 0);
    put(frame === 'caption' ? 1 : 0);
    put(block.element.name === 'p' ? 1 : 0);
    put(block.element.name === 'div' || block.element.name === 'span' ? 1 : 0);
    put(block.link === undefined ? 0 : 1);
    put(block.isControl ? 1 : 0);
    put(Math.min(block.images, 5));
    put(area.depth);
    put(pageChars === 0 ? 0 : block.offset / pageChars);
    put(log(index));
    put(density.verdicts[index] as number);
    put(rule.verdicts[index] as number);
    put(top !== undefined && index >= top.firstBlock && index < top.lastBlock ? 1 : 0);
    put(top === undefined ? 50 : distance(index, top));
    put(top !== undefined && index >= top.lastBlock ? 1 : 0);
    put(index === titleAt ? 1 : 0);
    put(titleAt < 0 ? 0 : Math.max(-20, Math.min(50, index - titleAt)));
    put(seen(block));
    put(previous === undefined ? 0 : log(previous.chars));
    put(previous === undefined ? 0 : linkShare(previous));
    put(previous === undefined ? -1 : previous.level);
    put(next === undefined ? 0 : log(next.chars));
    put(next === undefined ? 0 : linkShare(next));
    put(next === undefined ? -1 : next.level);
    put(log(blocks[index - 2]?.chars ?? 0));
    put(log(blocks[index + 2]?.chars ?? 0));
    const window = windowOf(blocks, index);
    put(log(window.chars));
    put(window.linkChars / Math.max(1, window.chars));
    put(log(section.chars));
    put(section.linkChars / Math.max(1, section.chars));
    let level = 0;
    // The element of the block alone says nothing new.
    let from: Area | undefined = area.blocks === 1 ? area.parent : area;
    let nearGroups = area.groups | block.groups;
    for (; level < AREA_LEVELS; level++) {
      // An element with the same text as the one inside it is passed over.
      while (from?.parent !== undefined && from.parent.chars === from.chars) {
        nearGroups |= level < 2 ? from.groups : 0;
        from = from.parent;
      }
      if (from === undefined) {
        row.fill(0, at, at + AREA_FEATURES.length);
        at += AREA_FEATURES.length;
        continue;
      }
      if (level < 1) nearGroups |= from.groups;
      put(log(from.chars));
      put(pageChars === 0 ? 0 : from.chars / pageChars);
      put(from.chars === 0 ? 0 : from.linkChars / from.chars);
      put(log(from.blocks));
      put(from.chars === 0 ? 0 : (from.stops / from.chars) * 100);
      put(Math.min(from.repeats, 50));
      from = from.parent;
    }
    const path = pathOf(area, paths);
    for (let bit = 0; bit < REGIONS.length; bit++) put((path.regions >> bit) & 1);
    for (let bit = 0; bit < CLASS_GROUPS.length; bit++) put((nearGroups >> bit) & 1);
    const all = path.groups | block.groups;
    for (let bit = 0; bit < CLASS_GROUPS.length; bit++) put((all >> bit) & 1);
    const { repeated } = path;
    put(repeated === undefined ? -1 : area.depth - repeated.depth);
    put(repeated === undefined ? 0 : Math.min(repeated.repeats, 60));
    put(repeated === undefined ? 0 : log(repeated.chars / repeated.repeats));
    put(occurrence[index] as number);
    const alike = forms[index] as Form;
    put(log(alike.count));
    put(log(alike.chars));
    put(log(alike.chars / alike.count));
    put(alike.linkChars / Math.max(1, alike.chars));
    put((alike.stops / Math.max(1, alike.chars)) * 100);
    put(pageChars === 0 ? 0 : alike.chars / pageChars);
    for (const signal of signals) put(signal);
    visit(row, index);
  }
}

/** Most values are small whole numbers. */
const LOGS = Float64Array.from({ length: 4096 }, (_, value) => Math.log2(value + 1));

function log(value: number): number {
  return LOGS[value] ?? Math.log2(value + 1);
}

function linkShare({ chars, linkChars }: PageBlock): number {
  return chars === 0 ? 0 : linkChars / chars;
}

function distance(index: number, { firstBlock, lastBlock }: Area): number {
  if (index < firstBlock) return Math.min(50, firstBlock - index);
  return index < lastBlock ? 0 : Math.min(50, index - lastBlock + 1);
}

function pathOf(area: Area, known: Map<Area, PathFacts>): PathFacts {
  const before = known.get(area);
  if (before !== undefined) return before;
  const { parent } = area;
  const above =
    parent === undefined ? { regions: 0, groups: 0, repeated: undefined } : pathOf(parent, known);
  // Classes of <body> name the page, not a part of it.
  const groups = parent === undefined ? 0 : area.groups;
  const facts = {
    regions: above.regions | area.region,
    groups: above.groups | groups,
    repeated: area.repeats >= 3 && area.blocks >= 6 ? area : above.repeated,
  };
  known.set(area, facts);
  return facts;
}

/** How often a block with the same measures is on the page: labels and buttons repeat. */
function countAlike(blocks: readonly PageBlock[]): (block: PageBlock) => number {
  const counts = new Map<number, number>();
  for (const block of blocks) {
    const at = alikeKey(block);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return (block) => log((counts.get(alikeKey(block)) ?? 1) - 1);
}

/** Equal for equal texts, and hardly ever for others: texts are not read twice. */
function alikeKey({ chars, words, capitals, digits, stops, linkChars }: PageBlock): number {
  return ((((chars * 31 + words) * 31 + capitals) * 31 + digits) * 31 + stops) * 31 + linkChars;
}

/** How many blocks with the same measures came before: pages repeat parts for small screens. */
function occurrences(blocks: readonly PageBlock[]): Uint16Array {
  const counts = new Map<number, number>();
  const result = new Uint16Array(blocks.length);
  for (const block of blocks) {
    const key = alikeKey(block);
    const before = counts.get(key) ?? 0;
    result[block.index] = Math.min(before, 50);
    counts.set(key, before + 1);
  }
  return result;
}

interface Form {
  count: number;
  chars: number;
  linkChars: number;
  stops: number;
}

/** Blocks of the same form: the same element, classes and ancestors, as the parts of all cards. */
function formsOf(blocks: readonly PageBlock[]): Form[] {
  const known = new Map<string, Form>();
  const names = new Map<Area, string>();
  return blocks.map((block) => {
    const key = `${block.kind} ${formName(block.area, 4, names)}`;
    let form = known.get(key);
    if (form === undefined) {
      form = { count: 0, chars: 0, linkChars: 0, stops: 0 };
      known.set(key, form);
    }
    form.count++;
    form.chars += block.chars;
    form.linkChars += block.linkChars;
    form.stops += block.stops;
    return form;
  });
}

const MAX_FORM_CHARS = 200;

function formName(area: Area, levels: number, names: Map<Area, string>): string {
  const before = levels === 4 ? names.get(area) : undefined;
  if (before !== undefined) return before;
  const { element, parent } = area;
  // A name is read for every block in the element, so it has to be short.
  const own = `${element.name}.${(element.get('class') ?? '').slice(0, MAX_FORM_CHARS)}`;
  const name =
    levels === 1 || parent === undefined ? own : `${formName(parent, levels - 1, names)}>${own}`;
  if (levels === 4) names.set(area, name);
  return name;
}

function findTitle(blocks: readonly PageBlock[]): number {
  return blocks.findIndex(({ level }) => level === 1);
}

function windowOf(
  blocks: readonly PageBlock[],
  index: number,
): { chars: number; linkChars: number } {
  let chars = 0;
  let linkChars = 0;
  for (let i = Math.max(0, index - 3); i <= index + 3 && i < blocks.length; i++) {
    chars += (blocks[i] as PageBlock).chars;
    linkChars += (blocks[i] as PageBlock).linkChars;
  }
  return { chars, linkChars };
}

interface Section {
  chars: number;
  linkChars: number;
}

/** The text from a heading to the next one. */
function sectionSums(blocks: readonly PageBlock[]): Section[] {
  const sections: Section[] = [];
  let current: Section = { chars: 0, linkChars: 0 };
  for (const block of blocks) {
    if (block.level > 0) current = { chars: 0, linkChars: 0 };
    else {
      current.chars += block.chars;
      current.linkChars += block.linkChars;
    }
    sections.push(current);
  }
  return sections;
}
