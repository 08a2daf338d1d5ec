import type { PdfTextItem } from './pdf-library.ts';
import { stackedItems } from './stacked.ts';

/**
 * Text with its place, in coordinates of its own reading direction: `x` grows along the line, `y`
 * from line to line. Upright, rotated and vertical text look the same from here on.
 */
export interface Run {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
  readonly isRtl: boolean;
}

/** Runs of one reading direction. */
export interface RunGroup {
  readonly direction: string;
  readonly runs: Run[];
}

export interface PageItem {
  readonly item: PdfTextItem;
  readonly isVertical: boolean;
}

const VERTICAL = 'vertical';
/** Of the font size: the height of an ideograph above its baseline. */
const IDEOGRAPH_ASCENT = 0.88;
/** Ligatures of Latin letters, and the forms that marks have in vertical text. */
const PRESENTATION_FORMS = /[\ufb00-\ufb06\ufe10-\ufe19\ufe30-\ufe4f]/g;
/** A ligature of lam and alef whose letters were reversed with the rest of the line. */
const REVERSED_LAM_ALEF = /\u0627([\u0622\u0623\u0625\u0627])\u0644/g;
const NO_TEXT = /^[\s\p{Cc}\ufffd]*$/u;
/** Marks that show nothing: soft hyphens inside a line, zero widths, and controls. */
const INVISIBLE = /[\u00ad\u200b\ufeff]|(?![\t\n\r])\p{Cc}/gu;

/** Sorts items by reading direction: the one with most text first. */
export function groupRuns(items: readonly PageItem[], view: readonly number[]): RunGroup[] {
  const groups = new Map<string, { runs: Run[]; characters: number }>();
  const stacked = stackedItems(items);
  for (const each of items) {
    const { item } = each;
    if (NO_TEXT.test(item.str) || !isVisible(item, view)) continue;
    const [direction, run] = stacked.has(each)
      ? [VERTICAL, stackedRun(item)]
      : toRun(item, each.isVertical);
    const group = groups.get(direction) ?? { runs: [], characters: 0 };
    groups.set(direction, group);
    group.runs.push(run);
    group.characters += run.text.length;
  }
  return [...groups]
    .toSorted(([, a], [, b]) => b.characters - a.characters)
    .map(([direction, { runs }]) => ({ direction, runs: withoutCopies(runs) }));
}

function toRun(item: PdfTextItem, isVertical: boolean): [string, Run] {
  const [a = 1, b = 0, c = 0, d = 1, left = 0, bottom = 0] = item.transform;
  const size = Math.hypot(c, d) || Math.hypot(a, b) || 1;
  const isRtl = item.dir === 'rtl';
  const text = cleanText(item.str, isRtl);
  if (isVertical)
    return [
      VERTICAL,
      { text, x: -bottom, y: -left, width: Math.abs(item.height), size, isRtl: false },
    ];
  const degrees = (Math.round((Math.atan2(b, a) * 180) / Math.PI / 5) * 5 + 360) % 360;
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [
    `${degrees}`,
    {
      text,
      x: left * cos + bottom * sin,
      y: left * sin - bottom * cos,
      width: Math.abs(item.width),
      size,
      isRtl,
    },
  ];
}

/** The place that a letter of a vertical font has: its origin is in the middle of its top. */
function stackedRun({ str, transform, width }: PdfTextItem): Run {
  const [, , c = 0, d = 1, left = 0, bottom = 0] = transform;
  const size = Math.hypot(c, d) || 1;
  return {
    text: cleanText(str, false),
    x: -(bottom + size * IDEOGRAPH_ASCENT),
    y: -(left + Math.abs(width) / 2),
    width: size,
    size,
    isRtl: false,
  };
}

function cleanText(text: string, isRtl: boolean): string {
  const clean = text
    .replace(INVISIBLE, '')
    .replace(PRESENTATION_FORMS, (form) => form.normalize('NFKC'))
    .replace(/[\s\u00a0]+/g, ' ');
  return isRtl ? clean.replace(REVERSED_LAM_ALEF, '\u0627\u0644$1') : clean;
}

function isVisible({ transform, width, height }: PdfTextItem, view: readonly number[]): boolean {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  const [x, y] = [transform[4] ?? 0, transform[5] ?? 0];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  const reach = Math.max(width, height, 1);
  return x + reach >= left && x - reach <= right && y + reach >= bottom && y - reach <= top;
}

/** Bold text is sometimes drawn twice, a shadow under it. */
function withoutCopies(runs: readonly Run[]): Run[] {
  const seen = new Map<string, Run[]>();
  return runs.filter((run) => {
    const key = `${Math.round(run.y / 4)} ${run.text}`;
    const same = seen.get(key) ?? [];
    seen.set(key, same);
    const near = run.size * 0.12;
    const isCopy = same
      .slice(-8)
      .some(({ x, y }) => Math.abs(x - run.x) < near && Math.abs(y - run.y) < near);
    if (!isCopy) same.push(run);
    return !isCopy;
  });
}
