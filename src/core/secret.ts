/**
 * A key in a wrapper that shows nothing: whoever prints, logs or serialises it gets `[secret]`. Only the provider it belongs to
 * calls `reveal`, at the moment it writes the header.
 */
export interface Secret {
  readonly isSet: boolean;
  /** Whether it is long enough to be taken out of texts; a shorter one would blot out ordinary words. */
  readonly isHideable: boolean;
  reveal(): string;
  /** Whether the text holds the whole key; cheap. */
  isIn(text: string): boolean;
  /** Where the whole key stands next, from there on. */
  find(text: string, from: number): { readonly at: number; readonly end: number } | undefined;
  /** How many characters at the end of the text, from there on, are a beginning of the key and not all of it. */
  beginsAtEndOf(text: string, from: number): number;
  /** The text with every trace of the key taken out. */
  scrub(text: string): string;
  toJSON(): string;
  toString(): string;
}

const HIDDEN = '[secret]';
const MIN_SCRUBBED_CHARS = 6;
/** Of a key this long pieces are taken out, too: servers quote a beginning or an end of it. Shorter ones are made up of words. */
const MIN_PIECED_CHARS = 20;

export function createSecret(value: string): Secret {
  // A function's variables are out of reach for inspectors and serialisers alike.
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

function openTail(text: string, from: number, key: string): number {
  const first = key.charAt(0);
  if (first === '') return 0;
  const start = Math.max(from, text.length - key.length + 1);
  for (let at = text.indexOf(first, start); at !== -1; at = text.indexOf(first, at + 1)) {
    if (key.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}

/** The text without whatever it has in common with the key over more than a few characters. */
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
