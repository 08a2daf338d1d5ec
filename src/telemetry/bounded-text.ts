import type { Copy } from './plain.ts';

export interface Masking {
  readonly mask: (text: string) => string;
  /** Characters that part of a secret, cut off by a limit, may leave at the end of a text. */
  readonly overlap: number;
}

const MAX_TEXT = 16_384;

/** A text without its secrets and within its limits. */
export function boundedText(text: string, copy: Copy): string {
  const room = Math.min(MAX_TEXT, Math.max(0, copy.charsLeft));
  // What is read counts, not what is left of it: masking costs time also where little remains.
  copy.charsLeft -= Math.min(text.length, room);
  return maskedWithin(text, room, copy.rules, `… [${text.length - room} more characters]`);
}

/** The masked text, or as much of it as there is room for, then the mark. A secret that is cut is not shown in part. */
export function maskedWithin(
  text: string,
  room: number,
  { mask, overlap }: Masking,
  mark: string,
): string {
  if (text.length <= room) return mask(text);
  const isWhole = text.length <= room + overlap;
  const masked = mask(isWhole ? text : text.slice(0, room + overlap));
  const kept = Math.min(room, isWhole ? masked.length : masked.length - overlap);
  return isWhole && kept === masked.length ? masked : masked.slice(0, Math.max(0, kept)) + mark;
}
