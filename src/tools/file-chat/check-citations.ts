import { foldName } from './citation-names.ts';
import type { CitedFile, CitedPlace, PlacedText } from './cited-file.ts';
import { findCitations, type FoundCitation } from './find-citations.ts';
import { createQuoteFinder, type QuotedRange, type QuoteFinder } from './match-quote.ts';

/** Why a citation could not be verified. */
export type CitationProblem =
  /** No file has this name. */
  | 'no_file'
  /** The file has no such page, slide, sheet, section or line. */
  | 'no_place'
  /** The citation quotes nothing. */
  | 'no_quote'
  /** The words are not in the file. */
  | 'not_found'
  /** The words are in the file, but elsewhere. */
  | 'other_place'
  /** The place has no text to check: a scan, or an empty page. */
  | 'no_text'
  /** A picture or a video. */
  | 'media';

export interface CheckedCitation {
  /** The name of the file; as the model wrote it if there is no such file. */
  readonly file: string;
  readonly place?: CitedPlace;
  readonly quote?: string;
  /** Absent: verified. */
  readonly problem?: CitationProblem;
  /** Where the words are instead. */
  readonly foundAt?: CitedPlace;
  /** Where the citation ends in the answer. */
  readonly end: number;
}

/**
 * Checks every citation of an answer: that the file exists, that it has the place, and that the
 * quoted words are there. White space, case and Markdown signs do not count.
 */
export function checkCitations(
  answer: string,
  files: readonly CitedFile[],
): readonly CheckedCitation[] {
  const find = fileFinder(files);
  const finders = new Map<CitedFile, QuoteFinder>();
  const finderOf = (file: CitedFile): QuoteFinder => {
    const known = finders.get(file) ?? createQuoteFinder(file.places.map(({ text }) => text));
    finders.set(file, known);
    return known;
  };
  return findCitations(answer, (name) => find(name) !== undefined).map((found) => {
    const file = find(found.file);
    if (!file) return { ...found, problem: 'no_file' };
    return { ...found, file: file.name, ...checkOne(found, file, finderOf) };
  });
}

type Outcome = Pick<CheckedCitation, 'problem' | 'foundAt' | 'place'>;

function checkOne(
  { place, quote }: FoundCitation,
  file: CitedFile,
  finderOf: (file: CitedFile) => QuoteFinder,
): Outcome {
  const { is, places } = file;
  if (is === 'media') return { problem: 'media' };
  const range = place ? rangeOf(place, places) : { first: 0, last: places.length - 1 };
  if (range === undefined) return { problem: 'no_place' };
  if (quote === undefined) return { problem: 'no_quote' };
  // The words may be on a page without text, which is a scan, but not on a blank line.
  const cited = places.slice(range.first, range.last + 1);
  const isBlank = cited.every(({ text }) => text.trim() === '');
  if (isBlank && place?.is !== 'line') return { problem: 'no_text' };
  const finder = finderOf(file);
  const found = finder.find(quote, range.first, range.last);
  if (found) return place ? {} : { place: placeOf(found, places) };
  const elsewhere = place && finder.find(quote, 0, places.length - 1);
  if (!elsewhere) return { problem: 'not_found' };
  return { problem: 'other_place', foundAt: placeOf(elsewhere, places) };
}

/** The indexes of the cited places; undefined if one of them does not exist. */
function rangeOf(cited: CitedPlace, places: readonly PlacedText[]): QuotedRange | undefined {
  if (cited.is === 'line') return rangeOfLines(cited, places);
  const first = places.findIndex(({ place }) => isWithin(place, cited));
  const last = places.findLastIndex(({ place }) => isWithin(place, cited));
  if (first === -1) return undefined;
  if (cited.is === 'sheet') return { first, last };
  return cited.to >= cited.from && last - first === cited.to - cited.from
    ? { first, last }
    : undefined;
}

/** A file may have hundreds of thousands of lines; only passages of a long file leave gaps between them. */
function rangeOfLines(
  { from, to }: { readonly from: number; readonly to: number },
  places: readonly PlacedText[],
): QuotedRange | undefined {
  if (places[0]?.place.is !== 'line' || from > to) return undefined;
  const first = indexOfLine(from, places);
  const last = indexOfLine(to, places);
  return first === -1 || last - first !== to - from ? undefined : { first, last };
}

/** Lines are in ascending order. */
function indexOfLine(line: number, places: readonly PlacedText[]): number {
  let low = 0;
  let high = places.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const place = places[middle]?.place;
    const number = place?.is === 'line' ? place.from : 0;
    if (number === line) return middle;
    if (number < line) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function isWithin(placed: CitedPlace, cited: CitedPlace): boolean {
  if (placed.is === 'sheet') {
    return cited.is === 'sheet' && foldName(placed.sheet) === foldName(cited.sheet);
  }
  if (cited.is === 'sheet') return false;
  return placed.is === cited.is && placed.from >= cited.from && placed.to <= cited.to;
}

/** The place of found words; of a range of pages, sheets or sections the first. */
function placeOf({ first, last }: QuotedRange, places: readonly PlacedText[]): CitedPlace {
  const { place: from } = places[first] ?? NOWHERE;
  const { place: to } = places[last] ?? NOWHERE;
  return from.is === 'sheet' || to.is === 'sheet' ? from : { ...from, to: to.to };
}

const NOWHERE: PlacedText = { place: { is: 'line', from: 0, to: 0 }, text: '' };

/** Finds a file by its name, or by the last part of its path where only one file has it. */
function fileFinder(files: readonly CitedFile[]): (name: string) => CitedFile | undefined {
  const byName = new Map(files.map((file) => [foldName(file.name), file] as const));
  const byEnd = new Map<string, CitedFile | undefined>();
  for (const file of files) {
    const end = foldName(lastPart(file.name));
    byEnd.set(end, byEnd.has(end) ? undefined : file);
  }
  return (name) => {
    const folded = foldName(name);
    if (folded === '') return undefined;
    return byName.get(folded) ?? byEnd.get(folded);
  };
}

function lastPart(name: string): string {
  return name.split(/[\\/]/u).at(-1) ?? name;
}
