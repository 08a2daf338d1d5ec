import { estimateTokens } from '#models/estimate-tokens.ts';
import { cutAt } from './cut-text.ts';
import { beginsLikeFence, closesFence, openedFence, type Fence } from './fence.ts';
import { lineAt, readBlocks, type Block } from './sections.ts';

/** The unit that chunks consist of; never larger than a chunk, unless it stands alone. */
export interface ChunkUnit {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  readonly before: string;
  readonly after: string;
  readonly stands: 'with_others' | 'alone';
  /** How good a boundary the position before it is. */
  readonly rank: number;
  /** Heading level. */
  readonly level: number | undefined;
}

type Place = Pick<ChunkUnit, 'from' | 'to'>;

const LINE_RANK = 0;
const PARAGRAPH_RANK = 1;
const HEADING_RANK = 8;
/** Maximum share of a piece for a repeated header or fence. */
const REPEATED_SHARE = 0.25;
/** Size of a group of lines, as a share of a chunk. */
const LINES_SHARE = 1 / 16;
const MAX_INFO_CHARS = 60;
/** Characters per token that hardly any text exceeds. */
const MANY_CHARS = 8;
/** Size of the parts of a long line, as a share of a chunk. */
const PARTS_SHARE = 1 / 4;
/** Extra tokens that joined parts may have. */
const SEAM_TOKENS = 3;
/** Prefix of a piece of a line that would start like a fence. */
const CONTINUED_PREFIX = '… ';
export const PREFIX_TOKENS = estimateTokens(CONTINUED_PREFIX) + 1;

export function* readChunkUnits(
  text: string,
  maxTokens: number,
  hardMaxTokens: number,
): Generator<ChunkUnit> {
  for (const block of readBlocks(text)) {
    const { from, to, kind } = block;
    const tokens = tokensUpTo(text, from, to, hardMaxTokens);
    switch (kind) {
      case 'heading':
      case 'text':
        if (tokens > maxTokens) yield* lineUnits(text, block, maxTokens);
        else if (kind === 'text') yield together(from, to, tokens, PARAGRAPH_RANK);
        else yield together(from, to, tokens, HEADING_RANK - block.level, '', block.level);
        break;
      case 'table':
        if (tokens <= maxTokens) yield together(from, to, tokens, PARAGRAPH_RANK);
        else if (tokens <= hardMaxTokens) yield alone(text, block, '', '');
        else yield* tablePieces(text, block, maxTokens);
        break;
      case 'fence': {
        const after = missingEnd(text, block);
        const all = after === '' ? tokens : tokens + estimateTokens(after);
        if (all <= maxTokens) yield together(from, to, all, PARAGRAPH_RANK, after);
        else if (all <= hardMaxTokens) yield alone(text, block, '', after);
        else yield* fencePieces(text, block, maxTokens);
      }
    }
  }
}

/** Tokens of a range; Infinity without an exact count if it is far too long. */
function tokensUpTo(text: string, from: number, to: number, most: number): number {
  const enough = most * MANY_CHARS;
  if (to - from > enough && estimateTokens(text.slice(from, from + enough)) > most) return Infinity;
  return estimateTokens(text.slice(from, to));
}

/** The missing closing line of a fence. */
function missingEnd(
  text: string,
  { fence, to, bodyTo }: Extract<Block, { kind: 'fence' }>,
): string {
  return bodyTo < to ? '' : closing(fence, text.endsWith('\n', to));
}

function closing({ lead, char, length }: Fence, isAfterLineEnd: boolean): string {
  return `${isAfterLineEnd ? '' : '\n'}${lead}${char.repeat(length)}\n`;
}

/** Lines in small groups; a line longer than a chunk is split. */
function* lineUnits(text: string, { from, to }: Place, maxTokens: number): Generator<ChunkUnit> {
  for (const piece of linePieces(text, from, to, maxTokens, maxTokens * LINES_SHARE)) {
    if (piece.is === 'lines') yield together(piece.from, piece.to, piece.tokens, LINE_RANK);
    else if (beginsLikeFence(text.slice(piece.from, piece.to))) {
      for (const part of parts(text, piece, maxTokens - PREFIX_TOKENS)) {
        yield alone(text, part, fenceSafePrefix(text, part), '');
      }
    } else {
      const partTokens = Math.floor(maxTokens * PARTS_SHARE);
      for (const part of parts(text, piece, partTokens - SEAM_TOKENS)) {
        const tokens = estimateTokens(text.slice(part.from, part.to)) + SEAM_TOKENS;
        yield together(part.from, part.to, tokens, LINE_RANK);
      }
    }
  }
}

function* tablePieces(
  text: string,
  { from, to, bodyFrom }: Extract<Block, { kind: 'table' }>,
  maxTokens: number,
): Generator<ChunkUnit> {
  const header = text.slice(from, bodyFrom);
  const headerTokens = estimateTokens(header);
  if (headerTokens > maxTokens * REPEATED_SHARE) {
    yield* lineUnits(text, { from, to }, maxTokens);
    return;
  }
  const room = maxTokens - headerTokens;
  let isFirst = true;
  for (const piece of linePieces(text, bodyFrom, to, room)) {
    if (piece.is === 'lines') {
      const place = { from: isFirst ? from : piece.from, to: piece.to };
      yield alone(text, place, isFirst ? '' : header, '');
    } else {
      if (isFirst) yield alone(text, { from, to: bodyFrom }, '', '');
      for (const part of parts(text, piece, room - PREFIX_TOKENS)) {
        yield alone(text, part, `${header}${fenceSafePrefix(text, part)}`, '');
      }
    }
    isFirst = false;
  }
}

function* fencePieces(
  text: string,
  block: Extract<Block, { kind: 'fence' }>,
  maxTokens: number,
): Generator<ChunkUnit> {
  const { fence, from, to, bodyFrom, bodyTo } = block;
  const info = fence.info.slice(0, MAX_INFO_CHARS).toWellFormed();
  const opening = ({ lead, char, length }: Fence) => `${lead}${char.repeat(length)}${info}\n`;
  const openTokens = estimateTokens(text.slice(from, bodyFrom));
  const most = maxTokens * REPEATED_SHARE;
  const aroundTokens =
    Math.min(openTokens, most) +
    estimateTokens(opening(fence)) +
    estimateTokens(closing(fence, false)) +
    estimateTokens(text.slice(bodyTo, to));
  const room = Math.max(Math.ceil(most), maxTokens - aroundTokens);
  let isFirst = openTokens <= most;
  if (!isFirst) yield* lineUnits(text, { from, to: bodyFrom }, maxTokens);
  for (const piece of linePieces(text, bodyFrom, bodyTo, room)) {
    if (piece.is === 'lines') {
      const isLast = piece.to === bodyTo && bodyTo < to;
      const place = { from: isFirst ? from : piece.from, to: isLast ? to : piece.to };
      const after = isLast ? '' : closing(fence, text.endsWith('\n', piece.to));
      yield alone(text, place, isFirst ? '' : opening(fence), after);
      if (isLast) return;
    } else {
      if (isFirst) yield alone(text, { from, to: bodyFrom }, '', closing(fence, true));
      for (const part of parts(text, piece, room)) {
        // A part of a line may look like the end of the fence.
        const own = unlike(text, part, fence);
        yield alone(text, part, opening(own), closing(own, text.endsWith('\n', part.to)));
      }
    }
    isFirst = false;
  }
  if (bodyTo < to) yield alone(text, { from: bodyTo, to }, opening(fence), '');
}

/** The same fence, or one of the other character if the part would close it. */
function unlike(text: string, { from, to }: Place, fence: Fence): Fence {
  const line = text.slice(from, to).trimEnd();
  if (!closesFence(line, { ...fence, indent: line.length })) return fence;
  return { ...fence, char: fence.char === '`' ? '~' : '`', length: 3 };
}

/** The prefix of a part of a line, so that it opens no fence. */
export function fenceSafePrefix(text: string, { from, to }: Place): string {
  return openedFence(text.slice(from, to).trimEnd()) ? CONTINUED_PREFIX : '';
}

function together(
  from: number,
  to: number,
  tokens: number,
  rank: number,
  after = '',
  level?: number,
): ChunkUnit {
  return { from, to, tokens, before: '', after, stands: 'with_others', rank, level };
}

function alone(text: string, { from, to }: Place, before: string, after: string): ChunkUnit {
  const tokens = estimateTokens(`${before}${text.slice(from, to)}${after}`);
  return { from, to, tokens, before, after, stands: 'alone', rank: LINE_RANK, level: undefined };
}

interface LinePiece extends Place {
  readonly is: 'lines' | 'long_line';
  readonly tokens: number;
}

/** Groups of lines of about `togetherTokens`; a line of more than `maxTokens` is separate. */
function* linePieces(
  text: string,
  from: number,
  to: number,
  maxTokens: number,
  togetherTokens = maxTokens,
): Generator<LinePiece> {
  let start = from;
  let tokens = 0;
  let at = from;
  for (let line = lineAt(text, at); line && at < to; line = lineAt(text, at)) {
    const end = Math.min(line.to, to);
    const its = tokensUpTo(text, at, end, maxTokens);
    if (start < at && tokens + its > togetherTokens) {
      yield { is: 'lines', from: start, to: at, tokens };
      [start, tokens] = [at, 0];
    }
    if (its > maxTokens) {
      yield { is: 'long_line', from: at, to: end, tokens: its };
      start = end;
    } else tokens += its;
    at = end;
  }
  if (start < to) yield { is: 'lines', from: start, to, tokens };
}

function* parts(text: string, { from, to }: Place, maxTokens: number): Generator<Place> {
  for (let at = from; at < to;) {
    const cut = cutAt(text, at, to, maxTokens);
    yield { from: at, to: cut };
    at = cut;
  }
}
