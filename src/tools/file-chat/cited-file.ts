import { splitAtPlaces } from '#core/extract/document-text.ts';
import type { DocumentPlace } from '#core/extract/document.ts';
import type { AskText } from '#core/llm/ask.ts';
import { numberLines } from '#core/text/numbered-lines.ts';

/** A place that a citation names, ranges included. */
export type CitedPlace =
  | {
      readonly is: 'page' | 'slide' | 'section' | 'line';
      readonly from: number;
      readonly to: number;
    }
  | { readonly is: 'sheet'; readonly sheet: string };

/** A text at one place of a file. */
export interface PlacedText {
  readonly place: CitedPlace;
  readonly text: string;
}

/** A file as its citations are checked. */
export interface CitedFile {
  /** As citations name it. */
  readonly name: string;
  /** `media`: a picture or a video, whose content cannot be checked. */
  readonly is: 'text' | 'media';
  /** Its pages, slides, sheets or sections, or its lines where it has none. */
  readonly places: readonly PlacedText[];
}

/** A text in the prompt, and how citations of it are checked. */
export interface CitableText {
  /** What the model gets: with place marks, or with a number before each line. */
  readonly shown: string;
  readonly file: CitedFile;
}

/**
 * Prepares a file for citations. A document keeps its place marks; every other text gets the
 * numbers of its lines, as models cannot count lines.
 */
export function citableText(name: string, { text, document }: AskText): CitableText {
  const places = document ? placesOf(text) : [];
  if (places.length > 0) return { shown: text, file: { name, is: 'text', places } };
  const lines = text === '' ? [] : text.split(/\r\n|\n|\r/u);
  return {
    shown: numberLines(lines),
    file: {
      name,
      is: 'text',
      places: lines.map((line, index) => ({
        place: { is: 'line', from: index + 1, to: index + 1 },
        text: line,
      })),
    },
  };
}

/** A picture or video: it can be cited by its name alone. */
export function citableMedia(name: string): CitedFile {
  return { name, is: 'media', places: [] };
}

function placesOf(marked: string): readonly PlacedText[] {
  return splitAtPlaces(marked).flatMap(({ place, text }) => {
    const cited = place && toCitedPlace(place);
    return cited ? [{ place: cited, text }] : [];
  });
}

function toCitedPlace(place: DocumentPlace): CitedPlace | undefined {
  switch (place.is) {
    case 'page':
      return { is: 'page', from: place.page, to: place.page };
    case 'slide':
      return { is: 'slide', from: place.slide, to: place.slide };
    case 'section':
      return { is: 'section', from: place.section, to: place.section };
    case 'sheet':
      return { is: 'sheet', sheet: place.sheet };
    case 'document':
      return undefined;
  }
}

/** `p. 3`, `slides 2-4`, `"Costs"`, `line 12`. */
export function formatPlace(place: CitedPlace): string {
  if (place.is === 'sheet') return `sheet "${place.sheet}"`;
  const { is, from, to } = place;
  if (is === 'page') return from === to ? `p. ${from}` : `pp. ${from}-${to}`;
  return from === to ? `${is} ${from}` : `${is}s ${from}-${to}`;
}
