const MAX_CHARS = 200;

/** Neither blank at an end nor anything that does not print. */
const PRINTABLE = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;

/** Whether a text can be the name of a model at all. */
export function isModelName(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_CHARS && PRINTABLE.test(text);
}

/** What names are compared by: `Kimi K2`, `kimi_k2` and `kimi-k2` are one. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_]+/g, '-');
}
