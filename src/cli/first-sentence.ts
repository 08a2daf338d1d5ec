/** Enough of a description to choose by. */
export function firstSentence(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s|\n/, 1);
  return first.trim();
}
