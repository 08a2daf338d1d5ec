/** Whether a name matches a pattern in which `*` stands for any characters. Runs in linear time. */
export function matchesWildcard(name: string, pattern: string): boolean {
  return wildcardMatcher(pattern)(name);
}

/** The same for a pattern that is matched often. */
export function wildcardMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}
