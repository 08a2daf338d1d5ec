/** Where a passage is in its file. Numbers start at 1. */
export type PassagePlace =
  | { readonly is: 'page' | 'slide' | 'section'; readonly number: number }
  | { readonly is: 'sheet'; readonly sheet: string }
  | { readonly is: 'lines'; readonly from: number; readonly to: number };

/** A part of a file that is found and quoted as a whole. */
export interface FilePassage {
  readonly place: PassagePlace;
  /** The last Markdown heading before it, where it does not begin with one. */
  readonly heading?: string;
  readonly text: string;
}

/** `page 3`, `sheet "Q1"`, `lines 12-40`: for people, beside the name of the file. */
export function describePassagePlace(place: PassagePlace): string {
  if (place.is === 'sheet') return `sheet "${place.sheet}"`;
  if (place.is !== 'lines') return `${place.is} ${place.number}`;
  return place.from === place.to ? `line ${place.from}` : `lines ${place.from}-${place.to}`;
}
