/** The beginning and the end of a text: a question stands there, however much is quoted in between. */
export function sample(text: string, maxCharsEach: number): string {
  if (text.length <= 2 * maxCharsEach) return text;
  return `${text.slice(0, maxCharsEach)}\n${text.slice(-maxCharsEach)}`;
}
