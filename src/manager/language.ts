import { KIND, KINDS } from '#models/char-kinds.ts';

const LETTER = 1;
const CJK = 2;
/** What a kind of character counts as, by its number. */
const COUNTS_AS = new Uint8Array(16);
for (const kind of [KIND.lower, KIND.upper, KIND.accented, KIND.alphabet, KIND.script]) {
  COUNTS_AS[kind] = LETTER;
}
for (const kind of [KIND.ideograph, KIND.kana, KIND.hangul]) COUNTS_AS[kind] = CJK;

/** From here on a text counts as Chinese, Japanese or Korean: names of libraries and code in between are Latin letters. */
export const CJK_FROM = 0.1;

/** Of the letters of a text, those of Chinese, Japanese and Korean: 0 to 1, and 0 without any letter. */
export function cjkShare(text: string): number {
  let cjk = 0;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const counts = COUNTS_AS[KINDS[text.charCodeAt(at)] ?? KIND.symbol];
    if (counts === LETTER) letters += 1;
    else if (counts === CJK) cjk += 1;
  }
  return cjk === 0 ? 0 : cjk / (cjk + letters);
}

/** `zh`, `zh-CN`, `zh_TW.UTF-8`. */
export function isChineseLocale(locale: string): boolean {
  return /^zh(?:[-_.@]|$)/i.test(locale);
}
