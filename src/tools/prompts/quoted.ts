/** Line ends that JSON leaves as they are. */
const LINE_ENDS = /[\u2028\u2029]/g;

/**
 * A value as JSON on one line. Whatever a stranger writes into it stays between its quotes, so nothing of it can be read as a sentence
 * of ours.
 */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    LINE_ENDS,
    (end) => `\\u${end.charCodeAt(0).toString(16)}`,
  );
}
