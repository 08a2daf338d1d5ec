import type { DocumentPart, DocumentPlace, ReadDocument } from './document.ts';

/** `page 3`, `sheet "Costs"`; undefined for a document without pages. */
export function describePlace(place: DocumentPlace): string | undefined {
  switch (place.is) {
    case 'page':
      return `page ${place.page}`;
    case 'slide':
      return `slide ${place.slide}`;
    case 'sheet':
      return `sheet "${place.sheet}"`;
    case 'section':
      return place.title === undefined
        ? `section ${place.section}`
        : `section ${place.section}: ${place.title}`;
    case 'document':
      return undefined;
  }
}

/** The whole text. Each part that has a place begins with a comment that names it. */
export function documentMarkdown({ parts }: Pick<ReadDocument, 'parts'>): string {
  return parts.map(partMarkdown).join('\n\n');
}

/** The whole text, without the comments. */
export function documentText({ parts }: Pick<ReadDocument, 'parts'>): string {
  return parts.map(({ markdown }) => markdown).join('\n\n');
}

function partMarkdown({ place, markdown }: DocumentPart): string {
  const name = describePlace(place);
  const text = withoutPlaceMarks(markdown);
  return name === undefined ? text : `${placeMark(name)}\n\n${text}`;
}

/** A comment ends at the first `-->` and a mark at the end of its line; a title is the document's own text. */
function placeMark(name: string): string {
  return `<!-- ${name.replaceAll('-->', '→').replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')} -->`;
}

const MARK_BEGIN = '<!-- ';
/** A line that `documentMarkdown` begins a part with. */
const MARK = /^<!-- (page|slide|sheet|section) (.*) -->$/;
const FORGED = /^<!-- (?=(?:page|slide|sheet|section) )/gm;

/** The text of a document cannot contain a mark of ours: its own comment stays readable. */
function withoutPlaceMarks(markdown: string): string {
  return markdown.includes(MARK_BEGIN) ? markdown.replaceAll(FORGED, '<! -- ') : markdown;
}

/** Whether a text of `documentMarkdown` has more than its marks. */
export function hasDocumentText(marked: string): boolean {
  for (let at = 0; at < marked.length;) {
    const end = marked.indexOf('\n', at);
    const line = marked.slice(at, end === -1 ? marked.length : end);
    if (line.trim() !== '' && placeOfMark(line, 0) === undefined) return true;
    at += line.length + 1;
  }
  return false;
}

/** A part of a text that `documentMarkdown` wrote. */
export interface MarkedPart {
  /** Absent for text without a mark before it. */
  readonly place?: DocumentPlace;
  readonly text: string;
}

/** Splits a text of `documentMarkdown` at its marks. */
export function splitAtPlaces(marked: string): readonly MarkedPart[] {
  const parts: { place?: DocumentPlace; lines: string[] }[] = [{ lines: [] }];
  for (const line of marked.split('\n')) {
    const place = line.startsWith(MARK_BEGIN) ? placeOfMark(line, parts.length) : undefined;
    if (place) parts.push({ place, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  const [, ...placed] = parts;
  const shown =
    placed.length === 0 ? parts : parts.filter(({ place, lines }) => place ?? lines.some(Boolean));
  return shown.map(({ place, lines }) => {
    const text = lines.join('\n');
    return place ? { place, text: text.trim() } : { text };
  });
}

/** Marks are lines of at most so many characters; a longer title is not looked for. */
const MAX_MARK_CHARS = 1000;
/** Comments that are looked at for the mark before a position. */
const MAX_COMMENTS = 100;

/** Where the mark that begins at a position ends; undefined if none begins there. */
export function endOfPlaceMark(text: string, at: number): number | undefined {
  return markAt(text, at)?.end;
}

/** The place that a position of a text of `documentMarkdown` is in. */
export function placeBefore(marked: string, at: number): DocumentPlace | undefined {
  for (let from = at, tries = 0; from >= 0 && tries < MAX_COMMENTS; from -= 1, tries += 1) {
    from = marked.lastIndexOf(MARK_BEGIN, from);
    if (from === -1) return undefined;
    const found = markAt(marked, from);
    if (found) return found.place;
  }
  return undefined;
}

function markAt(
  text: string,
  at: number,
): { readonly end: number; readonly place: DocumentPlace } | undefined {
  if (!text.startsWith(MARK_BEGIN, at) || (at > 0 && text[at - 1] !== '\n')) return undefined;
  const line = text.slice(at, at + MAX_MARK_CHARS).split('\n', 1)[0] ?? '';
  const place = placeOfMark(line, 0);
  return place && { end: at + line.length, place };
}

function placeOfMark(line: string, index: number): DocumentPlace | undefined {
  const [, is, rest = ''] = MARK.exec(line) ?? [];
  if (is === undefined) return undefined;
  if (is === 'sheet') {
    const [, sheet] = /^"(.*)"$/.exec(rest) ?? [];
    return sheet === undefined ? undefined : { is, sheet, index };
  }
  const [, digits, title] = /^(\d{1,9})(?:: (.*))?$/.exec(rest) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (is === 'page') return { is, page: number };
  if (is === 'slide') return { is, slide: number };
  return { is: 'section', section: number, ...(title !== undefined && { title }) };
}
