import { splitAtPlaces } from '#core/extract/document-text.ts';
import type { DocumentPlace } from '#core/extract/document.ts';
import type { FilePassage, PassagePlace } from '#core/files/passage.ts';

/** `document`: with the marks of its places; `lines`: any other text, cited by its lines. */
export type PassageSource = 'document' | 'lines';

/** A passage ends before the line that would make it longer: a printed page stays whole. */
const FULL_CHARS = 3_200;
/** From here on it ends at a blank line or before a heading. */
const ENOUGH_CHARS = 2_000;
/** A longer line is cut. */
const MAX_LINE_CHARS = 3_200;
const MAX_HEADING_CHARS = 200;
const HEADING = /^#{1,6} +(\S.*)$/;
const BLANK = /^\s*$/;

/** Splits a text into passages of one to three paragraphs that do not cross a page, slide or sheet. */
export function* splitPassages(text: string, is: PassageSource): Generator<FilePassage> {
  const parts = is === 'document' ? splitAtPlaces(text) : [];
  if (!parts.some(({ place }) => place)) {
    yield* splitLines(text, undefined);
    return;
  }
  for (const part of parts) yield* splitLines(part.text, placeOf(part.place));
}

function* splitLines(text: string, place: PassagePlace | undefined): Generator<FilePassage> {
  let heading: string | undefined;
  let pending: PendingPassage | undefined;
  const end = (last: PendingPassage): FilePassage[] => {
    const { lines, from, to, under } = last;
    const whole = lines.join('\n').trim();
    if (whole === '') return [];
    const at = place ?? { is: 'lines', from, to };
    return [{ place: at, ...(under !== undefined && { heading: under }), text: whole }];
  };
  for (const { line, number } of linesOf(text)) {
    const isHeading = HEADING.test(line);
    // Each piece of one line is a passage, so that lines can be counted.
    if (pending && (pending.to === number || isOver(pending, line, isHeading))) {
      yield* end(pending);
      pending = undefined;
    }
    if (isHeading) heading = line.replace(HEADING, '$1').slice(0, MAX_HEADING_CHARS).toWellFormed();
    if (!pending && BLANK.test(line)) continue;
    pending ??= {
      lines: [],
      chars: 0,
      from: number,
      to: number,
      under: isHeading ? undefined : heading,
    };
    pending.lines.push(line);
    pending.chars += line.length + 1;
    pending.to = number;
  }
  if (pending) yield* end(pending);
}

interface PendingPassage {
  readonly lines: string[];
  readonly from: number;
  /** The heading above it. */
  readonly under: string | undefined;
  chars: number;
  to: number;
}

function isOver({ chars }: PendingPassage, line: string, isHeading: boolean): boolean {
  if (chars + line.length > FULL_CHARS) return true;
  return chars > ENOUGH_CHARS && (isHeading || BLANK.test(line));
}

/** The lines of a text, with long ones in pieces. */
function* linesOf(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let number = 0;
  for (let from = 0; from < text.length;) {
    const end = endOfLine(text, from);
    number += 1;
    for (let at = from; ;) {
      const to = pieceEnd(text, at, end);
      yield { line: text.slice(at, to), number };
      at = to;
      if (at >= end) break;
    }
    from = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const end = newline === -1 ? text.length : newline;
  // A carriage return alone ends a line, too; it is looked for within the line only.
  const line = text.slice(from, end);
  const carriage = line.indexOf('\r');
  return carriage === -1 ? end : from + carriage;
}

/** Where a piece of a long line ends: at a space, if there is one, and not within a character. */
function pieceEnd(text: string, from: number, end: number): number {
  if (end - from <= MAX_LINE_CHARS) return end;
  const limit = from + MAX_LINE_CHARS;
  const space = text.lastIndexOf(' ', limit);
  if (space > from + ENOUGH_CHARS) return space + 1;
  const code = text.charCodeAt(limit);
  return code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}

function placeOf(place: DocumentPlace | undefined): PassagePlace | undefined {
  switch (place?.is) {
    case 'page':
      return { is: 'page', number: place.page };
    case 'slide':
      return { is: 'slide', number: place.slide };
    case 'section':
      return { is: 'section', number: place.section };
    case 'sheet':
      return { is: 'sheet', sheet: place.sheet };
    case 'document':
    case undefined:
      return undefined;
  }
}
