/** Helpers for text that may be cut anywhere, also between the halves of a surrogate pair. */

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

export function isInsidePair(text: string, at: number): boolean {
  return at > 0 && isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));
}

export function endsWithHalfPair(text: string): boolean {
  return isHighSurrogate(text.charCodeAt(text.length - 1));
}

/** How many characters of two texts are the same, from these positions on. */
export function commonLength(
  text: string,
  from: number,
  other: string,
  otherFrom: number,
  most: number = Infinity,
): number {
  const end = Math.min(text.length - from, other.length - otherFrom, most);
  let same = 0;
  while (same < end && text.charCodeAt(from + same) === other.charCodeAt(otherFrom + same))
    same += 1;
  return same;
}

/**
 * Where the characters begin, up to `end`, that all match a pattern of one character. A search for
 * `[…]*$` would begin again at every character of a long text.
 */
export function runStart(text: string, pattern: RegExp, end: number = text.length): number {
  let at = end;
  while (at > 0) {
    const before = isInsidePair(text, at - 1) ? at - 2 : at - 1;
    if (!pattern.test(text.slice(before, at))) break;
    at = before;
  }
  return at;
}

/** The last character of a text, both halves of it. */
export function lastCharacter(text: string): string {
  return text.slice(isInsidePair(text, text.length - 1) ? -2 : -1);
}

/** The number of white space characters at the start of a text. */
export function blankPrefix(text: string, from: number = 0): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at - from;
}

/** The white space of `\s`. */
function isBlank(code: number): boolean {
  return code <= 0x20
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : code >= 0xa0 && /\s/u.test(String.fromCharCode(code));
}
