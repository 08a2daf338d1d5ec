import type { Copy } from './plain.ts';

const MAX_TEXT = 16_384;

/** A text without its secrets and within its limits. A secret that a limit cuts in two is not shown in part. */
export function boundedText(text: string, copy: Copy): string {
  const room = Math.min(MAX_TEXT, Math.max(0, copy.charsLeft));
  const { mask, overlap } = copy.rules;
  const isWhole = text.length <= room + overlap;
  const masked = mask(isWhole ? text : text.slice(0, room + overlap));
  const kept = Math.min(room, isWhole ? masked.length : masked.length - overlap);
  copy.charsLeft -= kept;
  if (isWhole && kept === masked.length) return masked;
  return `${masked.slice(0, Math.max(0, kept))}… [${text.length - room} more characters]`;
}
