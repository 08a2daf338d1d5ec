/**
 * A key in a wrapper that shows nothing: whoever prints, logs or serialises it gets `[secret]`. Only the provider it belongs to
 * calls `reveal`, at the moment it writes the header.
 */
export interface Secret {
  readonly isSet: boolean;
  reveal(): string;
  /** Whether the text holds the whole key; cheap. */
  isIn(text: string): boolean;
  /** The text with every trace of the key taken out. */
  scrub(text: string): string;
  toJSON(): string;
  toString(): string;
}

const HIDDEN = '[secret]';
/** Shorter ones would blot out ordinary words. */
const MIN_SCRUBBED_CHARS = 6;
/** Of a key this long pieces are taken out, too: servers quote a beginning or an end of it. Shorter ones are made up of words. */
const MIN_PIECED_CHARS = 20;

export function createSecret(value: string): Secret {
  // A function's variables are out of reach for inspectors and serialisers alike.
  return {
    isSet: value !== '',
    reveal: () => value,
    isIn: (text) => value !== '' && text.includes(value),
    scrub(text) {
      if (value.length < MIN_SCRUBBED_CHARS) return text;
      if (value.length < MIN_PIECED_CHARS) return text.replaceAll(value, HIDDEN);
      return withoutPieces(text, value);
    },
    toJSON: () => HIDDEN,
    toString: () => HIDDEN,
  };
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
