/** Finds the first pattern that a name matches, case aside; `*` stands for any characters. Linear in the name for each pattern. */
export function createNameMatcher(
  patterns: readonly string[],
): (name: string) => string | undefined {
  const compiled = patterns.map((pattern) => ({
    pattern,
    pieces: pattern.trim().toLowerCase().split('*'),
  }));
  return (name) => {
    const folded = name.toLowerCase();
    return compiled.find(({ pieces }) => matches(folded, pieces))?.pattern;
  };
}

function matches(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
