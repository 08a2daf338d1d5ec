import { wildcardMatcher } from '#core/text/wildcard.ts';

const MAX_CHARS = 200;

/** Printable text without leading or trailing blanks. */
const PRINTABLE = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;

/** Whether a text is a valid model name. */
export function isModelName(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_CHARS && PRINTABLE.test(text);
}

/** Key for comparing names: `Kimi K2`, `kimi_k2` and `kimi-k2` are equal. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_]+/g, '-');
}

/** Returns the first pattern that matches a name, ignoring case; `*` stands for any characters. */
export function createNameMatcher(
  patterns: readonly string[],
): (name: string) => string | undefined {
  const folded = patterns.map((pattern) => ({
    pattern,
    matches: wildcardMatcher(pattern.trim().toLowerCase()),
  }));
  return (name) => {
    const wanted = name.toLowerCase();
    return folded.find(({ matches }) => matches(wanted))?.pattern;
  };
}
