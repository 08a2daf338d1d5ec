import { matchesWildcard } from '#core/wildcard.ts';

/** Finds the first pattern that a name matches, case aside; `*` stands for any characters. */
export function createNameMatcher(
  patterns: readonly string[],
): (name: string) => string | undefined {
  const folded = patterns.map((pattern) => ({ pattern, fold: pattern.trim().toLowerCase() }));
  return (name) => {
    const wanted = name.toLowerCase();
    return folded.find(({ fold }) => matchesWildcard(wanted, fold))?.pattern;
  };
}
