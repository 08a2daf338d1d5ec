/**
 * A wrapped key that prints, logs and serialises as `[secret]`. Only its provider calls `reveal`,
 * when it writes the header.
 */
export interface Secret {
  readonly isSet: boolean;
  /** Whether it is long enough to scrub from texts; a shorter one would match ordinary words. */
  readonly isHideable: boolean;
  reveal(): string;
  /** Whether the text contains the whole key; cheap. */
  isIn(text: string): boolean;
  /** The next occurrence of the whole key from an index on. */
  find(text: string, from: number): { readonly at: number; readonly end: number } | undefined;
  /** Length of an incomplete beginning of the key at the end of the text. */
  beginsAtEndOf(text: string, from: number): number;
  /** The text with the key and its fragments removed. */
  scrub(text: string): string;
  toJSON(): string;
  toString(): string;
}

const HIDDEN = '[secret]';
const MIN_SCRUBBED_CHARS = 6;
/**
 * From this length on fragments are removed, too, as servers quote the beginning or end of a key.
 * Shorter keys may consist of ordinary words.
 */
const MIN_PIECED_CHARS = 20;

export function createSecret(value: string): Secret {
  // Closure variables are invisible to inspectors and serialisers.
  return {
    isSet: value !== '',
    reveal: () => value,
    isHideable: value.length >= MIN_SCRUBBED_CHARS,
    isIn: (text) => value !== '' && text.includes(value),
    find(text, from) {
      const at = value === '' ? -1 : text.indexOf(value, from);
      return at === -1 ? undefined : { at, end: at + value.length };
    },
    beginsAtEndOf: (text, from) => openTail(text, from, value),
    scrub(text) {
      if (value.length < MIN_SCRUBBED_CHARS) return text;
      if (value.length < MIN_PIECED_CHARS) return text.replaceAll(value, HIDDEN);
      return withoutPieces(text, value);
    },
    toJSON: () => HIDDEN,
    toString: () => HIDDEN,
  };
}

/** The key, whose `isIn` and `scrub` treat other keys like itself. */
export function withOtherKeys(key: Secret, others: readonly Secret[]): Secret {
  const all = [...new Set([key, ...others])];
  return {
    ...key,
    isIn: (text) => all.some((each) => each.isIn(text)),
    scrub: (text) => all.reduce((clean, each) => each.scrub(clean), text),
  };
}

function openTail(text: string, from: number, key: string): number {
  const first = key.charAt(0);
  if (first === '') return 0;
  const start = Math.max(from, text.length - key.length + 1);
  for (let at = text.indexOf(first, start); at !== -1; at = text.indexOf(first, at + 1)) {
    if (key.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}

/** Removes every fragment of the key that is longer than a few characters. */
function withoutPieces(text: string, key: string): string {
  let clean = '';
  let from = 0;
  for (let at = 0; at + MIN_SCRUBBED_CHARS <= text.length;) {
    let length = MIN_SCRUBBED_CHARS;
    if (!key.includes(text.slice(at, at + length))) {
      at += 1;
      continue;
    }
    while (at + length < text.length && key.includes(text.slice(at, at + length + 1))) length += 1;
    clean += text.slice(from, at) + HIDDEN;
    at += length;
    from = at;
  }
  return clean + text.slice(from);
}
