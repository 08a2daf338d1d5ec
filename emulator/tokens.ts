/**
 * The emulator's own tokens: blanks, then up to six ASCII letters or digits, or one other
 * character. English prose comes to about 1.2 tokens a word, Chinese to one a character. Linear in
 * the text.
 */
export function countTokens(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at = nextPiece(text, at);
  return count;
}

/** The text in the same tokens; joined they are the text again. */
export function toPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const next = nextPiece(text, at);
    pieces.push(text.slice(at, next));
    at = next;
  }
  return pieces;
}

const MAX_WORD = 6;

function nextPiece(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  if (at === text.length) return at;
  const start = at;
  while (at < text.length && at - start < MAX_WORD && isWord(text.charCodeAt(at))) at += 1;
  if (at > start) return at;
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff && at + 1 < text.length ? at + 2 : at + 1;
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
