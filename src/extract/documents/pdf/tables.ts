import { markdownTable } from '../markdown-table.ts';
import { endOf, isRtl, startOf, type ColumnBlock } from './columns.ts';
import { hasWordGaps, type Line, type Segment } from './lines.ts';
import { greatest, least } from './numbers.ts';

/** A part of a block: lines of a table, or lines of text. */
export type BlockPart =
  | { readonly is: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly is: 'text'; readonly lines: readonly Line[] };

/** A column boundary may be crossed by this part of the rows: titles that span columns. */
const CROSSING_ROWS = 0.12;
/** Rows that fill two columns or more, of the rows of a table. */
const FILLED_ROWS = 0.5;
/** Lines further apart than this many font sizes are not of one table. */
const MAX_ROW_GAP = 6;

/** Gaps of more lines than this do not lie under each other by chance. */
const MAX_CHANCE_LINES = 3;

/** A column of these is a list. */
const LIST_MARK =
  /^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\d{1,3}|[^\p{L}\p{N}]|[一二三四五六七八九十]{1,3})?$/iu;

/** Finds the tables of a block by the alignment of its segments. */
export function splitTables(block: ColumnBlock): BlockPart[] {
  const parts: BlockPart[] = [];
  let text: Line[] = [];
  const flush = (): void => {
    if (text.length > 0) parts.push({ is: 'text', lines: text });
    text = [];
  };
  let at = 0;
  while (at < block.length) {
    const end = tableEnd(block, at);
    const rows = end - at >= 2 ? toRows(block.slice(at, end)) : undefined;
    if (rows === undefined) {
      const next = Math.max(end, at + 1);
      for (const line of block.slice(at, next)) text.push(line);
      at = next;
    } else {
      flush();
      parts.push({ is: 'table', rows });
      at = end;
    }
  }
  flush();
  return parts;
}

export function renderTable(rows: readonly (readonly string[])[]): string {
  return markdownTable(rows);
}

/** The end of the rows that begin at a line: lines of several segments, and short ones between. */
function tableEnd(block: ColumnBlock, start: number): number {
  const [first] = block.slice(start, start + 1);
  if (first === undefined || first.segments.length < 2) return start;
  const width = greatest(block.map(endOf)) - least(block.map(startOf));
  let end = start + 1;
  let at = start + 1;
  while (at < block.length && at - end < 3) {
    const [line, before] = [block[at], block[at - 1]];
    if (line === undefined || before === undefined) break;
    if (line.y - before.y > MAX_ROW_GAP * Math.max(line.size, before.size)) break;
    if (line.segments.length >= 2) end = at + 1;
    else if (endOf(line) - startOf(line) > width * 0.6) break;
    at += 1;
  }
  return end;
}

/** The cells of rows, or nothing if their segments are not aligned. */
function toRows(lines: readonly Line[]): string[][] | undefined {
  if (areSpreadWords(lines)) return undefined;
  const columns = findColumns(lines);
  if (columns.length < 2) return undefined;
  const placed = lines.map((line) => placeSegments(line, columns));
  const filled = placed.filter((cells) => cells.filter((cell) => cell !== '').length >= 2).length;
  if (filled < 2 || filled < lines.length * FILLED_ROWS) return undefined;
  if (columns.length === 2 && placed.every(([mark = '']) => LIST_MARK.test(mark))) return undefined;
  const ordered = isRtl(lines) ? placed.map((cells) => cells.toReversed()) : placed;
  return mergeBands(lines, ordered) ?? mergeWrapped(lines, ordered);
}

/** A few justified lines, whose gaps lie under each other by chance. */
function areSpreadWords(lines: readonly Line[]): boolean {
  return (
    lines.length <= MAX_CHANCE_LINES &&
    lines.every(hasWordGaps) &&
    lines.every(({ segments }) => segments.every(({ text }) => /\p{L}/u.test(text)))
  );
}

/** Left ends of columns: where hardly any segment crosses. */
function findColumns(lines: readonly Line[]): number[] {
  const several = lines.filter(({ segments }) => segments.length >= 2);
  const edges: [x: number, change: number][] = [];
  for (const { segments } of several)
    for (const { left, right } of segments) edges.push([left, 1], [Math.max(right, left), -1]);
  edges.sort(([a, up], [b, down]) => a - b || down - up);
  const allowed = several.length < 6 ? 0 : Math.floor(several.length * CROSSING_ROWS);
  const columns: number[] = [];
  let covered = 0;
  let isInside = false;
  let freeSince = Number.NEGATIVE_INFINITY;
  const minGap = least(lines.map(({ size }) => size)) * 0.25;
  for (const [x, change] of edges) {
    covered += change;
    if (!isInside && covered > allowed) {
      if (x - freeSince >= minGap) columns.push(x);
      isInside = true;
    } else if (isInside && covered <= allowed) {
      isInside = false;
      freeSince = x;
    }
  }
  return columns;
}

function placeSegments({ segments }: Line, columns: readonly number[]): string[] {
  const cells = columns.map(() => '');
  for (const segment of segments) {
    const at = columnOf(segment, columns);
    cells[at] = cells[at] === '' ? segment.text : `${cells[at]} ${segment.text}`;
  }
  return cells;
}

/** The column in which most of the segment lies, or the first that it touches. */
function columnOf({ left, right }: Segment, columns: readonly number[]): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [at, start] of columns.entries()) {
    const from = at === 0 ? Number.NEGATIVE_INFINITY : start;
    const overlap =
      Math.min(right, columns[at + 1] ?? Number.POSITIVE_INFINITY) - Math.max(left, from);
    if (overlap > most + 1) {
      most = overlap;
      best = at;
    }
  }
  return best;
}

/** Rows of several lines with a gap between them; nothing if the lines are not set like that. */
function mergeBands(
  lines: readonly Line[],
  placed: readonly (readonly string[])[],
): string[][] | undefined {
  const gaps = lines.slice(1).map(({ y }, at) => y - (lines[at]?.y ?? y));
  const close = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.1)] ?? 0;
  const isBand = (at: number): boolean => (gaps[at - 1] ?? 0) > close * 1.45;
  const rows: string[][] = [];
  let continued = 0;
  let shorter = 0;
  let first: readonly string[] = [];
  for (const [at, cells] of placed.entries()) {
    const row = rows.at(-1);
    if (row === undefined || isBand(at)) {
      rows.push([...cells]);
      first = cells;
      continue;
    }
    continued += 1;
    if (cells.some((cell, column) => cell === '' && first[column] !== '')) shorter += 1;
    for (const [column, cell] of cells.entries())
      if (cell !== '') row[column] = row[column] === '' ? cell : `${row[column]} ${cell}`;
  }
  return rows.length >= 3 && continued > 0 && shorter >= continued * 0.8 ? rows : undefined;
}

/** Joins a line that continues cells of the row above. */
function mergeWrapped(lines: readonly Line[], placed: readonly string[][]): string[][] {
  const rows: string[][] = [];
  for (const [at, cells] of placed.entries()) {
    const above = rows.at(-1);
    const [line, before] = [lines[at], lines[at - 1]];
    const used = cells.filter((cell) => cell !== '').length;
    const continues =
      above !== undefined &&
      line !== undefined &&
      before !== undefined &&
      rows.length > 1 &&
      cells[0] === '' &&
      used <= Math.max(1, cells.length / 3) &&
      line.y - before.y <= 1.35 * Math.max(line.size, before.size) &&
      cells.every((cell, column) => cell === '' || isContinued(above[column] ?? '', cell));
    if (!continues) {
      rows.push([...cells]);
      continue;
    }
    for (const [column, cell] of cells.entries())
      if (cell !== '') above[column] = `${above[column]} ${cell}`;
  }
  return rows;
}

/** Words continue words; a number begins another cell. */
function isContinued(above: string, cell: string): boolean {
  return /\p{L}/u.test(above) && /\p{L}/u.test(cell) && above !== '';
}
