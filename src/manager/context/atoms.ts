import { estimateTokens } from '#models/estimate-tokens.ts';
import { cutAt } from './cut-text.ts';
import { beginsLikeFence, closesFence, openedFence, type Fence } from './fence.ts';
import { lineAt, readBlocks, type Block } from './sections.ts';

/** What a chunk is put together of; never more tokens than a chunk may have, unless it stands alone. */
export interface Atom {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  readonly before: string;
  readonly after: string;
  readonly stands: 'with_others' | 'alone';
  /** How good a place the one before it is to cut. */
  readonly rank: number;
  /** Of a heading. */
  readonly level: number | undefined;
}

type Place = Pick<Atom, 'from' | 'to'>;

const LINE_RANK = 0;
const PARAGRAPH_RANK = 1;
const HEADING_RANK = 8;
/** What is written again in every piece may take this share of it. */
const REPEATED_SHARE = 0.25;
/** Lines that are moved from chunk to chunk together. */
const LINES_SHARE = 1 / 16;
const MAX_INFO_CHARS = 60;
/** For a token: hardly a text that is longer has fewer. */
const MANY_CHARS = 8;
/** Of a chunk: so long are the parts of a long line, so that they fill chunks well. */
const PARTS_SHARE = 1 / 4;
/** What parts may come to beyond their own tokens when they are put together again. */
const SEAM_TOKENS = 3;
/** Before a piece of a line that would begin like a fence. */
const GOES_ON = '… ';
export const GOES_ON_TOKENS = estimateTokens(GOES_ON) + 1;

export function* readAtoms(
  text: string,
  maxTokens: number,
  hardMaxTokens: number,
): Generator<Atom> {
  for (const block of readBlocks(text)) {
    const { from, to, kind } = block;
    const tokens = tokensUpTo(text, from, to, hardMaxTokens);
    switch (kind) {
      case 'heading':
      case 'text':
        if (tokens > maxTokens) yield* lineAtoms(text, block, maxTokens);
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

/** The tokens of a place; of one that has far too many no more than that is found out. */
function tokensUpTo(text: string, from: number, to: number, most: number): number {
  const enough = most * MANY_CHARS;
  if (to - from > enough && estimateTokens(text.slice(from, from + enough)) > most) return Infinity;
  return estimateTokens(text.slice(from, to));
}

/** The closing line of a fence that has none. */
function missingEnd(
  text: string,
  { fence, to, bodyTo }: Extract<Block, { kind: 'fence' }>,
): string {
  return bodyTo < to ? '' : closing(fence, text.endsWith('\n', to));
}

function closing({ lead, char, length }: Fence, isAfterLineEnd: boolean): string {
  return `${isAfterLineEnd ? '' : '\n'}${lead}${char.repeat(length)}\n`;
}

/** Lines in small groups; a line that is longer than a chunk in parts. */
function* lineAtoms(text: string, { from, to }: Place, maxTokens: number): Generator<Atom> {
  for (const piece of linePieces(text, from, to, maxTokens, maxTokens * LINES_SHARE)) {
    if (piece.is === 'lines') yield together(piece.from, piece.to, piece.tokens, LINE_RANK);
    else if (beginsLikeFence(text.slice(piece.from, piece.to))) {
      for (const part of parts(text, piece, maxTokens - GOES_ON_TOKENS)) {
        yield alone(text, part, goesOn(text, part), '');
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
): Generator<Atom> {
  const header = text.slice(from, bodyFrom);
  const headerTokens = estimateTokens(header);
  if (headerTokens > maxTokens * REPEATED_SHARE) {
    yield* lineAtoms(text, { from, to }, maxTokens);
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
      for (const part of parts(text, piece, room - GOES_ON_TOKENS)) {
        yield alone(text, part, `${header}${goesOn(text, part)}`, '');
      }
    }
    isFirst = false;
  }
}

function* fencePieces(
  text: string,
  block: Extract<Block, { kind: 'fence' }>,
  maxTokens: number,
): Generator<Atom> {
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
  if (!isFirst) yield* lineAtoms(text, { from, to: bodyFrom }, maxTokens);
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

/** The same fence, or one of the other sign where the part would close it. */
function unlike(text: string, { from, to }: Place, fence: Fence): Fence {
  const line = text.slice(from, to).trimEnd();
  if (!closesFence(line, { ...fence, indent: line.length })) return fence;
  return { ...fence, char: fence.char === '`' ? '~' : '`', length: 3 };
}

/** What has to stand before a part of a line, so that it opens no fence. */
export function goesOn(text: string, { from, to }: Place): string {
  return openedFence(text.slice(from, to).trimEnd()) ? GOES_ON : '';
}

function together(
  from: number,
  to: number,
  tokens: number,
  rank: number,
  after = '',
  level?: number,
): Atom {
  return { from, to, tokens, before: '', after, stands: 'with_others', rank, level };
}

function alone(text: string, { from, to }: Place, before: string, after: string): Atom {
  const tokens = estimateTokens(`${before}${text.slice(from, to)}${after}`);
  return { from, to, tokens, before, after, stands: 'alone', rank: LINE_RANK, level: undefined };
}

interface LinePiece extends Place {
  readonly is: 'lines' | 'long_line';
  readonly tokens: number;
}

/** Lines, as many as come to about `togetherTokens`; a line of more than `maxTokens` by itself. */
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
