/** A text that is too long ends with a mark of it; half a character is none. */
export function cut(text: string, maxChars: number): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return short.toWellFormed();
}
