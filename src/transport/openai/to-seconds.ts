/** Times are whole seconds since 1970 to OpenAI's clients. */
export function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}
