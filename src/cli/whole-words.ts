import { oneLine } from '#core/one-line.ts';

/** A sentence on one line; one that is too long ends with a whole word. */
export function wholeWords(text: string, maxChars: number): string {
  const line = oneLine(text, maxChars);
  if (text.length <= maxChars) return line;
  // The place of the cut may be the end of a word already; nobody misses the last one.
  const end = line.lastIndexOf(' ');
  return end < maxChars / 2 ? line : `${line.slice(0, end).replace(/[\s,;:(–-]+$/, '')} …`;
}
