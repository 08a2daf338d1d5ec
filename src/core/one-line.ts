/** A stranger's text in a message or a log: short, and on one line. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.slice(0, maxChars + 1).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
