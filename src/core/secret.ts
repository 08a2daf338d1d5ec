/**
 * A key in a wrapper that shows nothing: whoever prints, logs or serialises it gets `[secret]`. Only the provider it belongs to
 * calls `reveal`, at the moment it writes the header.
 */
export interface Secret {
  readonly isSet: boolean;
  reveal(): string;
  /** The text with every trace of the key taken out. */
  scrub(text: string): string;
  toJSON(): string;
  toString(): string;
}

const HIDDEN = '[secret]';
/** Shorter ones would blot out ordinary words. */
const MIN_SCRUBBED_CHARS = 6;

export function createSecret(value: string): Secret {
  // A function's variables are out of reach for inspectors and serialisers alike.
  return {
    isSet: value !== '',
    reveal: () => value,
    scrub: (text) => (value.length < MIN_SCRUBBED_CHARS ? text : text.replaceAll(value, HIDDEN)),
    toJSON: () => HIDDEN,
    toString: () => HIDDEN,
  };
}
