import { oneLine } from '#core/text/text.ts';
import { fenceSafePrefix, PREFIX_TOKENS, readChunkUnits, type ChunkUnit } from './chunk-units.ts';
import { headingText, lineAt } from './sections.ts';

/** A chunk of a text: `before`, the text from `from` to `to`, and `after`. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /** A reopened fence, or the header of a table. */
  readonly before: string;
  readonly after: string;
  /** The headings above it, outermost first. */
  readonly path: readonly string[];
}

export interface ChunkLimits {
  readonly maxTokens: number;
  /** A code block or table larger than a chunk stays whole up to this size. Default `maxTokens`. */
  readonly hardMaxTokens?: number;
}

const MIN_TOKENS = 256;
const MAX_TITLE_CHARS = 80;

/**
 * Splits a Markdown text at headings, paragraphs and lines, in this order of preference. Code and
 * tables stay whole if they fit; else every piece repeats the fence or the header. The ranges of
 * all chunks in order are the text.
 */
export function* cutChunks(text: string, limits: ChunkLimits): Generator<Chunk> {
  const maxTokens = Math.max(MIN_TOKENS, limits.maxTokens);
  const hardMaxTokens = Math.max(maxTokens, limits.hardMaxTokens ?? maxTokens);
  const headings = createHeadings(text);
  const room = maxTokens - PREFIX_TOKENS;
  let open: ChunkUnit[] = [];
  let tokens = 0;
  for (const unit of readChunkUnits(text, room, hardMaxTokens)) {
    if (unit.stands === 'alone') {
      const most = unit.tokens > maxTokens ? hardMaxTokens : maxTokens;
      const cut = open.length - headingsFor(open, unit, most);
      if (cut > 0) yield toChunk(text, open.slice(0, cut), headings);
      yield toChunk(text, [...open.slice(cut), unit], headings);
      [open, tokens] = [[], 0];
      continue;
    }
    while (open.length > 0 && tokens + unit.tokens > room) {
      const cut = bestBreak(open, unit, tokens);
      yield toChunk(text, open.slice(0, cut), headings);
      open = open.slice(cut);
      tokens = tokensOf(open);
    }
    open.push(unit);
    tokens += unit.tokens;
  }
  if (open.length > 0) yield toChunk(text, open, headings);
}

function tokensOf(units: readonly ChunkUnit[]): number {
  return units.reduce((sum, each) => sum + each.tokens, 0);
}

/** How many of the last units are headings of a unit that stands alone, and belong to its chunk. */
function headingsFor(open: readonly ChunkUnit[], unit: ChunkUnit, maxTokens: number): number {
  if (unit.before !== '') return 0;
  let tokens = unit.tokens;
  let count = 0;
  for (; count < open.length; count++) {
    const heading = open[open.length - 1 - count];
    tokens += heading?.tokens ?? 0;
    if (heading?.level === undefined || tokens > maxTokens) break;
  }
  return count;
}

export function chunkText(text: string, { from, to, before, after }: Chunk): string {
  return `${before}${text.slice(from, to)}${after}`;
}

/**
 * The unit to cut before: the best boundary in the second half of the chunk, the last of equals.
 */
function bestBreak(units: readonly ChunkUnit[], next: ChunkUnit, tokens: number): number {
  let best = units.length;
  let bestRank = rank(units.at(-1), next);
  let before = tokens;
  for (let at = units.length - 1; at > 0; at--) {
    const unit = units[at];
    if (!unit) break;
    before -= unit.tokens;
    if (before * 2 < tokens) break;
    const its = rank(units[at - 1], unit);
    if (its > bestRank) [best, bestRank] = [at, its];
  }
  return best;
}

/** Moves headings at the end of a chunk to the next one. */
function rank(last: ChunkUnit | undefined, next: ChunkUnit): number {
  return last?.level === undefined ? next.rank : next.rank - 10;
}

function toChunk(text: string, units: readonly ChunkUnit[], headings: Headings): Chunk {
  const first = units[0];
  const last = units.at(-1);
  if (first?.level !== undefined) headings.enter(first);
  const path = headings.path();
  for (const unit of units) headings.enter(unit);
  return {
    from: first?.from ?? 0,
    to: last?.to ?? 0,
    before: first ? beginning(text, first, last?.to ?? first.to) : '',
    after: last?.after ?? '',
    path,
  };
}

function beginning(text: string, { from, before, stands }: ChunkUnit, to: number): string {
  if (stands === 'alone' || from === 0 || text[from - 1] === '\n') return before;
  const line = lineAt(text, from);
  return fenceSafePrefix(text, { from, to: Math.min(to, line?.to ?? to) });
}

interface Headings {
  enter(unit: ChunkUnit): void;
  path(): readonly string[];
}

/** Tracks heading positions and reads their text lazily, as a text may consist of headings only. */
function createHeadings(text: string): Headings {
  const open: (ChunkUnit | undefined)[] = [];
  return {
    enter(unit) {
      if (unit.level === undefined) return;
      open.length = Math.min(open.length, unit.level);
      open[unit.level] = unit;
    },
    path: () =>
      open.flatMap((unit) => (unit ? [oneLine(headingText(text, unit), MAX_TITLE_CHARS)] : [])),
  };
}
