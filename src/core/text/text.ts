/** Shortens untrusted text to one line, for messages and logs. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.slice(0, maxChars + 1).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}

/** Of longer names, the beginning is compared. */
const MAX_FOLDED_CHARS = 64;

/** The most similar known name, or undefined if none is close enough to suggest. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const folded = fold(candidate);
    // The distance is at least the difference in length, which rules out most names.
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue;
    const found = distance(wanted, folded, bestDistance - 1);
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
    const far = apart > limit ? Infinity : distance(wanted, folded, limit);
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
    .slice(0, MAX_FOLDED_CHARS);
}

/** Names of the tools of one server begin and end alike. */
function withoutCommonEnds(one: string, other: string): readonly [string, string] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one.charCodeAt(start) === other.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < most - start &&
    one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  )
    end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}

/** The row of the table for the next character, that for the last one, and the one before it. */
const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_FOLDED_CHARS + 1)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/**
 * Damerau-Levenshtein (adjacent swaps count one) of folded names, or Infinity if it is more than `most`.
 * Only the cells near the diagonal are computed, as ten thousand names may be compared in one turn.
 */
function distance(one: string, other: string, most: number): number {
  const [a, b] = withoutCommonEnds(one, other);
  const far = most + 1;
  let [row, previous, before] = ROWS;
  for (let j = 0; j <= b.length; j++) previous[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const code = a.charCodeAt(i - 1);
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    let left = from === 1 ? Math.min(i, far) : far;
    row[from - 1] = left;
    let least = left;
    for (let j = from; j <= to; j++) {
      const next = b.charCodeAt(j - 1);
      const diagonal = previous[j - 1] ?? far;
      let cost = code === next ? diagonal : diagonal + 1;
      const above = (previous[j] ?? far) + 1;
      if (above < cost) cost = above;
      if (left + 1 < cost) cost = left + 1;
      if (i > 1 && j > 1 && code === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === next) {
        const swapped = (before[j - 2] ?? far) + 1;
        if (swapped < cost) cost = swapped;
      }
      if (cost > far) cost = far;
      row[j] = left = cost;
      if (cost < least) least = cost;
    }
    if (to < b.length) row[to + 1] = far;
    if (least > most) return Infinity;
    [row, previous, before] = [before, row, previous];
  }
  const found = previous[b.length] ?? far;
  return found > most ? Infinity : found;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes a word for a shell command if necessary. */
export function shellQuote(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
