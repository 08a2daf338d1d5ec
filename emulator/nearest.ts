const MAX_CHARS = 40;

/** The names most like a mistyped one, at most three; none when nothing is like it. */
export function nearest(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.slice(0, MAX_CHARS).toLowerCase();
  return [...known]
    .map((one) => ({ one, away: distance(wanted, one.toLowerCase()) }))
    .filter(({ one, away }) => away <= Math.max(2, Math.floor(one.length / 3)))
    .toSorted((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ one }) => one);
}

/** How many letters must be changed, added or taken out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
