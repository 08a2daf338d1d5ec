import type { Line, Segment } from './lines.ts';
import { greatest, least, median } from './numbers.ts';

/** Lines that are read one after another. */
export type ColumnBlock = readonly Line[];

interface Gutter {
  left: number;
  right: number;
  readonly first: number;
  last: number;
}

/** A column has at least this many lines. */
const MIN_LINES = 4;
/** The least width of a gutter, in font sizes. */
const MIN_GUTTER = 0.8;
/** Columns of prose have lines of this many characters; cells of tables are shorter. */
const PROSE_CHARACTERS = 18;
/** Lines of prose fill this part of their column. */
const PROSE_FILL = 0.62;
/** Or so many of them do, beside the short lines of lists. */
const FULL_LINES = 0.33;
/** Cells have fewer lines than this, on average. */
const MAX_ROW_LINES = 6;
const MAX_OPEN_GUTTERS = 40;
const MAX_DEPTH = 12;

/** The blocks of a page in reading order: columns one after another, from right to left if RTL. */
export function readingOrder(lines: readonly Line[], depth = 0): ColumnBlock[] {
  if (lines.length === 0) return [];
  if (lines.length < MIN_LINES || depth > MAX_DEPTH) return [lines];
  const gutters = findGutters(lines).toSorted((a, b) => b.last - b.first - (a.last - a.first));
  for (const gutter of gutters.slice(0, 8)) {
    const inside = lines.slice(gutter.first, gutter.last + 1);
    const [left, right] = splitAt(inside, gutter);
    if (!areColumns(left, right, depth)) continue;
    const sides = isRtl(inside) ? [right, left] : [left, right];
    return [
      ...readingOrder(lines.slice(0, gutter.first), depth + 1),
      ...sides.flatMap((side) => readingOrder(side, depth + 1)),
      ...readingOrder(lines.slice(gutter.last + 1), depth + 1),
    ];
  }
  return [lines];
}

/** Gaps that several lines have in common. A line that ends before a gap does not close it. */
function findGutters(lines: readonly Line[]): Gutter[] {
  const found: Gutter[] = [];
  let open: Gutter[] = [];
  for (const [at, { segments, size }] of lines.entries()) {
    const free = freeIntervals(segments);
    const minWidth = MIN_GUTTER * size;
    const kept: Gutter[] = [];
    for (const gutter of open) {
      const [left, right] = widestOverlap(free, gutter);
      if (right - left < minWidth) found.push(gutter);
      else kept.push(Object.assign(gutter, { left, right, last: at }));
    }
    for (const [left, right] of free.slice(1, -1))
      if (
        kept.length < MAX_OPEN_GUTTERS &&
        right - left >= minWidth &&
        !kept.some((gutter) => gutter.left >= left && gutter.right <= right)
      )
        kept.push({ left, right, first: at, last: at });
    open = kept;
  }
  found.push(...open);
  return found.filter(({ first, last }) => last - first + 1 >= MIN_LINES);
}

type Interval = readonly [left: number, right: number];

function freeIntervals(segments: readonly Segment[]): Interval[] {
  const free: Interval[] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const segment of segments) {
    free.push([right, segment.left]);
    right = Math.max(right, segment.right);
  }
  free.push([right, Number.POSITIVE_INFINITY]);
  return free;
}

function widestOverlap(free: readonly Interval[], { left, right }: Gutter): Interval {
  let best: Interval = [left, left];
  for (const [from, to] of free) {
    const overlap: Interval = [Math.max(from, left), Math.min(to, right)];
    if (overlap[1] - overlap[0] > best[1] - best[0]) best = overlap;
  }
  return best;
}

function splitAt(lines: readonly Line[], { left, right }: Gutter): [Line[], Line[]] {
  const middle = (left + right) / 2;
  const side = (keep: (segment: Segment) => boolean): Line[] =>
    lines.flatMap((line) => {
      const segments = line.segments.filter(keep);
      const size = greatest(segments.map((segment) => segment.size));
      return segments.length === 0 ? [] : [{ y: line.y, size, segments }];
    });
  return [side((segment) => segment.right <= middle), side((segment) => segment.right > middle)];
}

function areColumns(left: readonly Line[], right: readonly Line[], depth: number): boolean {
  if (left.length < MIN_LINES - 1 || right.length < MIN_LINES - 1) return false;
  if (haveRowsBesideEachOther(left, right)) return false;
  if (isProse(left, depth) && isProse(right, depth)) return true;
  // Lines that do not stand beside each other are not rows.
  const shared = sharedBaselines(left, right);
  return shared < 0.35 && medianLength(left) >= 8 && medianLength(right) >= 8;
}

/** Long lines that fill their column, or columns of such lines. */
function isProse(lines: readonly Line[], depth: number): boolean {
  const severed = lines.filter(({ segments }) => segments.length > 1).length;
  if (severed > lines.length * 0.4) {
    if (depth > MAX_DEPTH) return false;
    return readingOrder(lines, depth + 6).length > 1;
  }
  const left = least(lines.map(startOf));
  const right = greatest(lines.map(endOf));
  const fills = lines.map((line) => (endOf(line) - startOf(line)) / (right - left || 1));
  const full = fills.filter((fill) => fill >= 0.8).length;
  return (
    medianLength(lines) >= PROSE_CHARACTERS &&
    (median(fills) >= PROSE_FILL || full >= lines.length * FULL_LINES)
  );
}

/** Rows of long cells: where a gap divides both sides, both begin again on one line. */
function haveRowsBesideEachOther(left: readonly Line[], right: readonly Line[]): boolean {
  const all = [...left.map(({ y }) => ({ y, side: 0 })), ...right.map(({ y }) => ({ y, side: 1 }))];
  all.sort((a, b) => a.y - b.y);
  const gaps = all.slice(1).map(({ y }, at) => y - (all[at]?.y ?? y));
  const usual = median([...pitches(left), ...pitches(right)]);
  let rows = 0;
  let begun = 0;
  for (const [at, { y, side }] of all.entries()) {
    if (at > 0 && (gaps[at - 1] ?? 0) <= usual * 1.45) continue;
    rows += 1;
    const next = all[at + 1];
    if (next !== undefined && next.side !== side && next.y - y < 1) begun += 1;
  }
  const longest = Math.max(left.length, right.length);
  return rows >= 3 && begun >= rows * 0.75 && longest <= rows * MAX_ROW_LINES;
}

function pitches(lines: readonly Line[]): number[] {
  return lines.slice(1).map(({ y }, at) => y - (lines[at]?.y ?? y));
}

function sharedBaselines(left: readonly Line[], right: readonly Line[]): number {
  const ys = new Set(left.map(({ y }) => y));
  return right.filter(({ y }) => ys.has(y)).length / Math.min(left.length, right.length);
}

export function isRtl(lines: readonly Line[]): boolean {
  let balance = 0;
  for (const { segments } of lines)
    for (const { isRtl: own, text } of segments) balance += own ? text.length : -text.length;
  return balance > 0;
}

export function startOf({ segments }: Line): number {
  return segments[0]?.left ?? 0;
}

export function endOf({ segments }: Line): number {
  return greatest(segments.map(({ right }) => right));
}

const CJK = /[\u2e80-\u9fff\uac00-\ud7af]/g;

/** Characters of the median line; an ideograph counts as two. */
function medianLength(lines: readonly Line[]): number {
  return median(
    lines.map(({ segments }) =>
      segments.reduce((sum, { text }) => sum + text.length + (text.match(CJK)?.length ?? 0), 0),
    ),
  );
}
