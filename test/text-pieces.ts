/**
 * The longest stretch without a sure break that a tokenizer is given: its time grows with the
 * square of it.
 */
const MAX_STRETCH = 128;

/**
 * A text cut into pieces of about so many units, none with a stretch of more than 128 that a
 * tokenizer might take for one word. Cuts fall where every tokenizer begins anew, between a letter
 * and a sign that is none; only in stretches without such a place, which nobody writes, they fall
 * anywhere and may add a token.
 */
export function* textPieces(text: string, pieceUnits: number): Generator<string> {
  let pieceStart = 0;
  let lastBreak = 0;
  let afterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isBreak = afterLetter && isSurelyNoLetter(unit);
    afterLetter = isSurelyLetter(unit);
    const isTooLong = at - lastBreak >= MAX_STRETCH && !isLowSurrogate(unit);
    if (!isBreak && !isTooLong) continue;
    if (isTooLong || at - pieceStart >= pieceUnits) {
      yield text.slice(pieceStart, at);
      pieceStart = at;
    }
    lastBreak = at;
  }
  if (pieceStart < text.length) yield text.slice(pieceStart);
}

/**
 * Letters and digits of the scripts that are written most; what is left out costs a cut, nothing
 * else.
 */
function isSurelyLetter(unit: number): boolean {
  if (unit < 0x80) return isAsciiWord(unit);
  return (
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x410 && unit <= 0x44f)
  );
}

const APOSTROPHE = 0x27;

function isSurelyNoLetter(unit: number): boolean {
  // An apostrophe may go on with the word: don't.
  if (unit < 0x80) return !isAsciiWord(unit) && unit !== APOSTROPHE;
  return (
    unit === 0x3001 ||
    unit === 0x3002 ||
    (unit >= 0x3008 && unit <= 0x3011) ||
    (unit >= 0xff01 && unit <= 0xff0f) ||
    (unit >= 0xff1a && unit <= 0xff1f)
  );
}

function isAsciiWord(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39)
  );
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
