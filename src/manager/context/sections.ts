import { closesFence, leavesFence, openedFence, type Fence } from './fence.ts';

/** A block of a Markdown text; all blocks in order are the text. */
export type Block = {
  /** Positions in the text; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
} & (
  | { readonly kind: 'text' }
  | { readonly kind: 'heading'; readonly level: number }
  /** `bodyFrom` is after the opening line, `bodyTo` before the closing one, if there is one. */
  | {
      readonly kind: 'fence';
      readonly fence: Fence;
      readonly bodyFrom: number;
      readonly bodyTo: number;
    }
  /** `bodyFrom` is after the header and the line below it. */
  | { readonly kind: 'table'; readonly bodyFrom: number }
);

const MAX_BLANK_CHARS = 64;

interface Line {
  readonly from: number;
  readonly to: number;
  /** Without its line end. */
  readonly text: string;
}

/** Splits a Markdown text into blocks in one pass. Accepts any text. */
export function* readBlocks(text: string): Generator<Block> {
  let line = lineAt(text, 0);
  while (line) {
    const block = blockAt(text, line);
    yield block;
    line = lineAt(text, block.to);
  }
}

/** The text of a heading without its markers. */
export function headingText(text: string, { from, to }: Pick<Block, 'from' | 'to'>): string {
  const [line = ''] = text.slice(from, Math.min(to, from + 400)).split('\n', 1);
  return line.replace(/^ {0,3}#{1,6}/, '').trim();
}

function blockAt(text: string, first: Line): Block {
  const fence = openedFence(first.text);
  if (fence) return fenceBlock(text, first, fence);
  const level = headingLevel(first.text);
  if (level > 0) return { kind: 'heading', from: first.from, to: blanksEnd(text, first.to), level };
  const second = lineAt(text, first.to);
  if (second && isTableHead(first.text, second.text)) return tableBlock(text, first, second);
  const underlined = second && !isBlank(first.text) ? underlineLevel(second.text) : 0;
  if (second && underlined > 0) {
    const to = blanksEnd(text, second.to);
    return { kind: 'heading', from: first.from, to, level: underlined };
  }
  return { kind: 'text', from: first.from, to: paragraphEnd(text, first, second) };
}

function fenceBlock(text: string, first: Line, fence: Fence): Block {
  const { from, to: bodyFrom } = first;
  let at = bodyFrom;
  for (let line = lineAt(text, at); line; line = lineAt(text, at)) {
    if (leavesFence(line.text, fence)) break;
    if (closesFence(line.text, fence)) {
      const to = blanksEnd(text, line.to);
      return { kind: 'fence', from, to, fence, bodyFrom, bodyTo: line.from };
    }
    at = line.to;
  }
  return { kind: 'fence', from, to: at, fence, bodyFrom, bodyTo: at };
}

function tableBlock(text: string, first: Line, second: Line): Block {
  let at = second.to;
  for (let line = lineAt(text, at); line; line = lineAt(text, at)) {
    if (!line.text.includes('|') || begins(line.text)) break;
    at = line.to;
  }
  const to = blanksEnd(text, at);
  return { kind: 'table', from: first.from, to, bodyFrom: second.to };
}

/** The end of a paragraph: after its blank lines, or where another block begins. */
function paragraphEnd(text: string, first: Line, second: Line | undefined): number {
  if (isBlank(first.text)) return blanksEnd(text, first.to);
  let line = second;
  let at = first.to;
  while (line) {
    if (isBlank(line.text)) return blanksEnd(text, line.to);
    if (begins(line.text)) return at;
    const next = lineAt(text, line.to);
    if (next && isTableHead(line.text, next.text)) return at;
    at = line.to;
    line = next;
  }
  return at;
}

function begins(line: string): boolean {
  return headingLevel(line) > 0 || openedFence(line) !== undefined;
}

/** The position after the blank lines of a block; a very long run of them is a separate block. */
function blanksEnd(text: string, from: number): number {
  let at = from;
  for (let line = lineAt(text, at); line && isBlank(line.text); line = lineAt(text, at)) {
    if (line.to - from > MAX_BLANK_CHARS) break;
    at = line.to;
  }
  return at;
}

export function lineAt(text: string, from: number): Line | undefined {
  if (from >= text.length) return undefined;
  const end = text.indexOf('\n', from);
  if (end === -1) return { from, to: text.length, text: text.slice(from) };
  const isPair = end > from && text.charCodeAt(end - 1) === 0x0d;
  return { from, to: end + 1, text: text.slice(from, isPair ? end - 1 : end) };
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function headingLevel(line: string): number {
  const level = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1]?.length;
  return level ?? 0;
}

/** Whether a line underlines a heading; a single dash is a list item. */
function underlineLevel(line: string): number {
  const char = /^ {0,3}([=-])\1/.exec(line)?.[1];
  if (char === undefined || !isOnly(line, ` \t${char}`)) return 0;
  return char === '=' ? 1 : 2;
}

/** Whether a table starts here: a row of cells above a row of dashes. */
function isTableHead(first: string, second: string): boolean {
  if (!second.includes('|') || !second.includes('-') || !isOnly(second, '|-: \t>')) return false;
  return first.includes('|') && !begins(first);
}

function isOnly(line: string, chars: string): boolean {
  for (let at = 0; at < line.length; at++) if (!chars.includes(line.charAt(at))) return false;
  return true;
}
