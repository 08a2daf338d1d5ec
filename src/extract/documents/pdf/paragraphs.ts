import { endOf, isRtl, startOf } from './columns.ts';
import { hasWordGaps, type Line } from './lines.ts';
import { greatest, least, median } from './numbers.ts';

/** What a page needs to know of its document to tell headings from text. */
export interface TextStyle {
  /** Whether a line stands at its place on several pages. */
  readonly isRunning: (line: Line) => boolean;
  /** The font size that most of the text has. */
  readonly bodySize: number;
  /** Levels of the bookmarks, by their title. */
  readonly bookmarks: ReadonlyMap<string, number>;
}

const HEADING_SIZE = 1.18;
/** A larger line is a title, even if every page has it. */
const MAX_RUNNING_SIZE = 1.35;
const MAX_HEADING_CHARACTERS = 160;
const LIST_MARK = /^(?:[•●▪◦‣■□○▸►➢✓·]|\uf0b7|\uf0a7)\s*/;
/** A full line of prose has at least this many characters. */
const MIN_FULL = 30;
const ITEM_START = /^(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|[-–—])\s/i;
const HYPHEN_END = /\p{L}[-\u2010\u00ad]$/u;
const CJK_END = /[\u2e80-\u9fff\uff00-\uffef]$/;
/** A line of a table of contents: dots, and a page. */
const LEADER_END = /\u2026 ?[\p{L}\p{N}.-]{1,12}$/u;
const CJK_START = /^[\u2e80-\u9fff\uff00-\uffef]/;

/** Lines as paragraphs in Markdown, with headings and lists. */
export function renderParagraphs(lines: readonly Line[], style: TextStyle): string {
  if (lines.length === 0) return '';
  const left = least(lines.map(startOf));
  const right = greatest(lines.map(endOf));
  const pitch = median(lines.slice(1).map((line, at) => line.y - (lines[at]?.y ?? line.y)));
  const out: string[] = [];
  let paragraph = '';
  let level = 0;
  const flush = (): void => {
    if (paragraph !== '') out.push(level > 0 ? `${'#'.repeat(level)} ${paragraph}` : paragraph);
    paragraph = '';
  };
  for (const [at, line] of lines.entries()) {
    const text = lineText(line);
    if (text === '') continue;
    const own = headingLevel(text, line, style);
    const before = lines[at - 1];
    const gap = before === undefined ? 0 : line.y - before.y;
    const isApart = gap > Math.min(Math.max(pitch, line.size) * 1.35, line.size * 2.8);
    if (before === undefined || own !== level || isApart || (own > 0 && gap > line.size * 1.8)) {
      flush();
      level = own;
      paragraph = own > 0 ? text : startText(text);
    } else if (own > 0) paragraph = joinWords(paragraph, text);
    else if (LIST_MARK.test(text)) paragraph += `\n${startText(text)}`;
    else if (continues(before, line, left, right)) paragraph = joinWords(paragraph, text);
    else paragraph += `\n${startText(text)}`;
  }
  flush();
  return out.join('\n\n');
}

export function lineText(line: Line): string {
  const segments = isRtl([line]) ? line.segments.toReversed() : line.segments;
  return segments
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ');
}

/** Characters that would begin a heading or a quotation. */
function startText(text: string): string {
  return text.replace(LIST_MARK, '- ').replace(/^([#>])/, String.raw`\$1`);
}

function headingLevel(text: string, line: Line, style: TextStyle): number {
  if (line.size < style.bodySize * MAX_RUNNING_SIZE && style.isRunning(line)) return 0;
  const marked = style.bookmarks.get(bookmarkKey(text));
  if (marked !== undefined) return marked;
  if (text.length > MAX_HEADING_CHARACTERS || !/\p{L}/u.test(text)) return 0;
  const ratio = line.size / style.bodySize;
  if (ratio >= 1.75) return 1;
  if (ratio >= 1.35) return 2;
  return ratio >= HEADING_SIZE ? 3 : 0;
}

export function bookmarkKey(title: string): string {
  return title.replace(/\s+/g, '').toLowerCase();
}

/** A line that fills its column is continued by the next, if that is not indented. */
function continues(before: Line, line: Line, left: number, right: number): boolean {
  const width = right - left || 1;
  const [text, next] = [lineText(before), lineText(line)];
  if (HYPHEN_END.test(text)) return true;
  if (isRow(before) || isRow(line) || LEADER_END.test(text)) return false;
  if (text.length < (CJK_END.test(text) ? MIN_FULL / 2 : MIN_FULL)) return false;
  if (ITEM_START.test(next) && /[.:;!?]$/.test(text)) return false;
  const isFull = isRtl([before])
    ? startOf(before) - left < width * 0.2
    : right - endOf(before) < width * 0.2;
  const isIndented = !isRtl([line]) && startOf(line) - startOf(before) > line.size * 0.9;
  return isFull && !isIndented && Math.abs(before.size - line.size) < line.size * 0.25;
}

/** Has cells far apart; the gaps of a justified line are only wide spaces. */
function isRow(line: Line): boolean {
  return line.segments.length > 2 && !hasWordGaps(line);
}

/** Joins the ends of two lines; a word divided by a hyphen becomes whole. */
export function joinWords(text: string, next: string): string {
  if (HYPHEN_END.test(text)) {
    // Before a capital or a digit the hyphen belongs to the word.
    return /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : text + next;
  }
  return CJK_END.test(text) && CJK_START.test(next) ? text + next : `${text} ${next}`;
}
