/** Shortens untrusted text to one line, for messages and logs. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.slice(0, maxChars + 1).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}

/** The most similar known name, or undefined if none is close enough to suggest. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const folded = fold(candidate);
    // The distance is at least the difference in length, which rules out most names.
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue;
    const found = distance(wanted, folded);
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** Names shorter than this are parts of too many others. */
const MIN_PART_CHARS = 4;

/** Similar names, the most similar first; also those that contain the name, or are part of it. */
export function nearestNames(name: string, known: Iterable<string>, max: number): string[] {
  return nearestOf(name, foldNames([...known], String), max);
}

/** Something with a name, prepared for comparing names. */
export interface FoldedName<T> {
  readonly item: T;
  readonly folded: string;
}

/** Prepares many names, which are compared more than once. */
export function foldNames<T>(items: readonly T[], nameOf: (item: T) => string): FoldedName<T>[] {
  return items.map((item) => ({ item, folded: fold(nameOf(item)) }));
}

/** As `nearestNames`, of prepared names; `isWanted` is called for near ones only. */
export function nearestOf<T>(
  name: string,
  known: readonly FoldedName<T>[],
  max: number,
  isWanted: (item: T) => boolean = () => true,
): T[] {
  const wanted = fold(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const isPart = (part: string, whole: string) =>
    part.length >= MIN_PART_CHARS && whole.includes(part);
  const found: { readonly item: T; readonly distance: number }[] = [];
  for (const { item, folded } of known) {
    const apart = Math.abs(folded.length - wanted.length);
    const far = apart > limit ? Infinity : distance(wanted, folded);
    if (far <= limit) found.push({ item, distance: far });
    else if (isPart(wanted, folded) || isPart(folded, wanted)) {
      found.push({ item, distance: limit + apart });
    }
  }
  const nearest: T[] = [];
  for (const { item } of found.toSorted((a, b) => a.distance - b.distance)) {
    if (nearest.length === max) break;
    if (isWanted(item)) nearest.push(item);
  }
  return nearest;
}

/** `, did you mean "x"?` or nothing: the tail of an error message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const found = nearest(name, known);
  return found === undefined ? '' : `, did you mean "${found}"?`;
}

function fold(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[-_. ]/g, '')
    .slice(0, 64);
}

/** Damerau-Levenshtein (adjacent swaps count one), two-row form plus the row before. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes a word for a shell command if necessary. */
export function shellQuote(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
