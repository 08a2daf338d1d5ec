const SEPARATOR = 0;
const WORD = 1;
/** Scripts without spaces between words: every pair of characters counts as a word. */
const UNSPACED = 2;

/** Later rows win. */
const RANGES: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x30, 0x39, WORD],
  [0x41, 0x5a, WORD],
  [0x5f, 0x5f, WORD],
  [0x61, 0x7a, WORD],
  [0xc0, 0xffff, WORD],
  [0xd7, 0xd7, SEPARATOR],
  [0xf7, 0xf7, SEPARATOR],
  [0x0e01, 0x0e5b, UNSPACED],
  [0x2000, 0x2bff, SEPARATOR],
  [0x3000, 0x303f, SEPARATOR],
  [0x3040, 0x30ff, UNSPACED],
  [0x30fb, 0x30fb, SEPARATOR],
  [0x3400, 0x9fff, UNSPACED],
  [0xac00, 0xd7a3, UNSPACED],
  [0xf900, 0xfaff, UNSPACED],
  [0xfe10, 0xfe6f, SEPARATOR],
  [0xfeff, 0xfeff, SEPARATOR],
  [0xff00, 0xff0f, SEPARATOR],
  [0xff1a, 0xff20, SEPARATOR],
  [0xff3b, 0xff40, SEPARATOR],
  [0xff5b, 0xff65, SEPARATOR],
  [0xff66, 0xff9f, UNSPACED],
  [0xfffd, 0xffff, SEPARATOR],
];

const KINDS = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(65_536);
  for (const [from, to, kind] of RANGES) table.fill(kind, from, to + 1);
  return table;
}

const HASH_START = 0x811c9dc5 | 0;
const HASH_STEP = 0x01000193;
const SMALL_S = 0x73;
/** A shorter word with a final s is seldom a plural. */
const MIN_PLURAL_CHARS = 4;

/**
 * Visits the words of a range as hashes, ignoring case and a plural s. One pass over character
 * codes without strings, so that the time is linear for any text.
 */
export function forEachWord(
  text: string,
  from: number,
  to: number,
  visit: (hash: number, start: number, end: number) => void,
): void {
  let at = from;
  while (at < to) {
    const kind = KINDS[text.charCodeAt(at)];
    if (kind === SEPARATOR) {
      at += 1;
    } else if (kind === WORD) {
      const start = at;
      let hash = HASH_START;
      let before = hash;
      let last = 0;
      for (; at < to; at += 1) {
        const code = text.charCodeAt(at);
        if (KINDS[code] !== WORD) break;
        last = lowerCase(code);
        before = hash;
        hash = Math.imul(hash ^ last, HASH_STEP);
      }
      const isPlural = last === SMALL_S && at - start >= MIN_PLURAL_CHARS;
      visit(isPlural ? before : hash, start, at);
    } else {
      at = eachPair(text, at, to, visit);
    }
  }
}

/** Visits a run of an unspaced script; returns its end. */
function eachPair(
  text: string,
  from: number,
  to: number,
  visit: (hash: number, start: number, end: number) => void,
): number {
  let at = from;
  let previous = text.charCodeAt(at);
  for (at += 1; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (KINDS[code] !== UNSPACED) break;
    visit(hashOf(previous, code), at - 1, at + 1);
    previous = code;
  }
  if (at === from + 1) visit(hashOf(previous, 0), from, at);
  return at;
}

function hashOf(first: number, second: number): number {
  return Math.imul(Math.imul(HASH_START ^ first, HASH_STEP) ^ second, HASH_STEP);
}

/** Lower case for Latin, Greek and Cyrillic, by fixed offsets. */
function lowerCase(code: number): number {
  if (code < 0x5b) return code >= 0x41 ? code + 0x20 : code;
  if (code < 0xc0) return code;
  if (code <= 0xde) return code + 0x20;
  if (code < 0x391 || code > 0x42f) return code;
  if (code <= 0x3a9) return code + 0x20;
  if (code >= 0x410) return code + 0x20;
  return code >= 0x400 ? code + 0x50 : code;
}

/** The distinct word hashes of a short text, in order. */
export function wordHashes(text: string): readonly number[] {
  const hashes = new Set<number>();
  forEachWord(text, 0, text.length, (hash) => hashes.add(hash));
  return [...hashes];
}
