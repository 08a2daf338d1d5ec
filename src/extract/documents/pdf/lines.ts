import { greatest, least } from './numbers.ts';
import type { Run } from './runs.ts';

/** Text without a wide gap; a line of prose is one segment, a row of a table several. */
export interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly size: number;
  readonly isRtl: boolean;
}

export interface Line {
  readonly y: number;
  readonly size: number;
  /** From left to right. */
  readonly segments: readonly Segment[];
}

/** Runs whose baselines differ by less than this part of the font size are on one line. */
const SAME_LINE = 0.42;
const RAISED_LINE = 0.58;
/** A gap of this many ems ends a segment. */
const SEGMENT_GAP = 0.9;
/** A gap of this many ems is a space. */
const SPACE_GAP = 0.16;
/** Scripts without spaces have loose letters, so that only a wide gap is one. */
const CJK_SPACE_GAP = 0.6;
/** The words of a justified line are not further apart than this many font sizes. */
const MAX_WORD_GAP = 2.5;
/** Dots that lead to the page in a table of contents. */
const LEADERS = / ?(?:\. ?){6,}/g;
const CJK_EDGE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;
const RTL_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
const LTR_LETTER = /[\p{L}\p{N}]/u;

interface OpenLine {
  y: number;
  size: number;
  runs: Run[];
}

export function buildLines(runs: readonly Run[]): Line[] {
  const open: OpenLine[] = [];
  for (const run of runs.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const line = open
      .slice(-3)
      .findLast((each) => Math.abs(run.y - each.y) <= reach(each.size, run.size));
    if (line === undefined) {
      open.push({ y: run.y, size: run.size, runs: [run] });
      continue;
    }
    line.runs.push(run);
    if (run.size > line.size) {
      line.size = run.size;
      line.y = run.y;
    }
  }
  return open
    .map(({ y, size, runs: own }) => ({ y, size, segments: toSegments(own) }))
    .toSorted((a, b) => a.y - b.y);
}

/** Whether all gaps of a line can be spaces between words. */
export function hasWordGaps({ segments, size }: Line): boolean {
  return segments.every(
    ({ left }, at) => left - (segments[at - 1]?.right ?? left) <= MAX_WORD_GAP * size,
  );
}

/** How far apart the baselines of one line may be; raised and lowered text is smaller. */
function reach(a: number, b: number): number {
  const [small, large] = [Math.min(a, b), Math.max(a, b)];
  return large * (small < large * 0.8 ? RAISED_LINE : SAME_LINE);
}

function toSegments(runs: readonly Run[]): Segment[] {
  const groups: Run[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  let size = 0;
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const group = groups.at(-1);
    if (group !== undefined && run.x - right <= SEGMENT_GAP * Math.max(size, run.size))
      group.push(run);
    else groups.push([run]);
    right = group === groups.at(-1) ? Math.max(right, run.x + run.width) : run.x + run.width;
    size = run.size;
  }
  return groups.map(toSegment);
}

function toSegment(runs: readonly Run[]): Segment {
  const isRtl = isMostlyRtl(runs);
  const text = isRtl ? joinRtl(runs) : joinRuns(runs);
  return {
    text: text.replace(LEADERS, ' \u2026 ').replace(/ +/g, ' ').trim(),
    left: least(runs.map(({ x }) => x)),
    right: greatest(runs.map(({ x, width }) => x + width)),
    size: greatest(runs.map(({ size }) => size)),
    isRtl,
  };
}

function isMostlyRtl(runs: readonly Run[]): boolean {
  let balance = 0;
  for (const { isRtl, text } of runs) balance += isRtl || RTL_LETTER.test(text) ? text.length : 0;
  const all = runs.reduce((sum, { text }) => sum + text.length, 0);
  return balance * 2 > all;
}

/**
 * Runs from right to left; a sequence of left-to-right runs between them keeps its own order. The
 * letters of a run are in logical order already.
 */
function joinRtl(runs: readonly Run[]): string {
  const sequences: { isLtr: boolean; runs: Run[] }[] = [];
  for (const run of runs) {
    const isLtr = !RTL_LETTER.test(run.text) && LTR_LETTER.test(run.text);
    const last = sequences.at(-1);
    if (isLtr && last?.isLtr === true) last.runs.push(run);
    else sequences.push({ isLtr, runs: [run] });
  }
  const ordered = sequences.toReversed();
  return ordered
    .map(({ runs: own }, at) => {
      const next = ordered[at + 1]?.runs;
      const [first] = own;
      const rightmost = next?.at(-1);
      if (first === undefined || rightmost === undefined) return joinRuns(own);
      return joinRuns(own) + spaceBetween(rightmost, first);
    })
    .join('');
}

function joinRuns(runs: readonly Run[]): string {
  let text = '';
  for (const [at, run] of runs.entries()) {
    const before = runs[at - 1];
    text += before === undefined ? run.text : spaceBetween(before, run) + run.text;
  }
  return text;
}

function spaceBetween(left: Run, right: Run): string {
  const gap = right.x - (left.x + left.width);
  const isCjk = CJK_EDGE.test(left.text.slice(-1)) || CJK_EDGE.test(right.text.slice(0, 1));
  const limit = (isCjk ? CJK_SPACE_GAP : SPACE_GAP) * Math.min(left.size, right.size);
  return gap > limit ? ' ' : '';
}
