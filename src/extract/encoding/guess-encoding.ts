import { isUtf8 } from 'node:buffer';
import { ALPHABETS, IDEOGRAPHIC } from './languages.ts';

/**
 * The encoding of a text that declares none. Each encoding decodes a sample; the text that looks
 * most like a language wins. A table of languages, not of byte sequences, so that every encoding of
 * a language is told apart by the same letters.
 */

const SAMPLE_BYTES = 48 * 1024;
/** Letters that are looked at; the share of frequent ones does not change after that. */
const SAMPLE_LETTERS = 4_000;
const NEUTRAL =
  /[\u00a0«»“”„‘’‚‹›–—…•·°§©®™€£¥№¿¡±×÷²³½¼¾ªºµ¶†‡´¨、。，．・：；？！「」『』（）【】《》〈〉“”～ー〜％＋－＝　①-⑳]/;

/** Letters that end a word. */
const FINAL_FORM = /[ςםןץךף]/;

/** A name of the Encoding Standard. `windows-1252` if nothing else fits better. */
export function guessEncoding(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return wide;
  if (hasEscapes(bytes)) return 'iso-2022-jp';
  if (isUtf8(bytes)) return 'utf-8';
  const sample = sampleOf(bytes);
  if (isCutUtf8(sample)) return 'utf-8';
  let best = 'windows-1252';
  let most = Number.NEGATIVE_INFINITY;
  for (const { encoding, score } of scores(sample))
    if (score > most) {
      most = score;
      best = encoding;
    }
  return best;
}

export function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** UTF-16 without a mark: one of two bytes is mostly zero, or the zeros are those of line ends. */
export function wideEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  const pairs = Math.floor(sample.length / 2);
  for (const [at, byte] of sample.entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (pairs < 2 || even + odd === 0) return undefined;
  if (odd > pairs * 0.3 && even < pairs * 0.05) return asText(sample, 'utf-16le');
  if (even > pairs * 0.3 && odd < pairs * 0.05) return asText(sample, 'utf-16be');
  if (bytes.length % 2 !== 0) return undefined;
  const found = (['utf-16le', 'utf-16be'] as const)
    .map((encoding) => ({ encoding, share: scriptShare(decodeLoosely(sample, encoding)) }))
    .toSorted((a, b) => b.share - a.share)[0];
  return found !== undefined && found.share > 0.9 ? found.encoding : undefined;
}

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\ufffd]/g;

/** The encoding, unless the sample then has control characters, as numbers of two bytes do. */
function asText<Encoding extends 'utf-16le' | 'utf-16be'>(
  sample: Uint8Array,
  encoding: Encoding,
): Encoding | undefined {
  const text = decodeLoosely(sample, encoding);
  const controls = text.match(CONTROLS)?.length ?? 0;
  return controls <= text.length * 0.02 ? encoding : undefined;
}

/** The part of a text that is letters of living scripts and their marks. */
function scriptShare(text: string): number {
  const all = Array.from(text.slice(0, SAMPLE_LETTERS));
  const usual = all.filter((letter) =>
    /[\n\r\t\u0020-\u007e\u00a0-\u024f\u0370-\u06ff\u0900-\u0e7f\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f\u2010-\u2026]/.test(
      letter,
    ),
  ).length;
  const breaks = (text.match(/[\n ]/g)?.length ?? 0) > 0;
  return breaks ? usual / (all.length || 1) : 0;
}

function hasEscapes(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE_BYTES));
  if (start.some((byte) => byte > 0x7f)) return false;
  return ['$@', '$B', '(J', '(I'].some((code) => start.includes(`\u001b${code}`, 0, 'latin1'));
}

/** A sample that is cut between the bytes of a letter; or UTF-8 with one damaged place. */
function isCutUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(sample);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const beyond = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return beyond >= 12 && broken * 12 <= beyond;
}

/** Lines with bytes beyond ASCII: a long text may begin with pages of ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const line = first < 0 ? 0 : bytes.lastIndexOf(0x0a, first) + 1;
  const start = first - line > SAMPLE_BYTES / 2 ? first : line;
  return bytes.subarray(start, start + SAMPLE_BYTES);
}

interface Score {
  readonly encoding: string;
  readonly score: number;
}

function* scores(sample: Uint8Array): Generator<Score> {
  const texts = new Map<string, string>();
  const decoded = (encoding: string): string => {
    const text = texts.get(encoding) ?? decodeLoosely(sample, encoding);
    texts.set(encoding, text);
    return text;
  };
  for (const { encodings, letters, kind } of IDEOGRAPHIC)
    for (const encoding of encodings)
      yield { encoding, score: scoreIdeographs(decoded(encoding), new Set(letters), kind) };
  for (const { encodings, letters } of ALPHABETS)
    for (const [at, encoding] of encodings.entries())
      yield { encoding, score: scoreAlphabet(decoded(encoding), letters) - at * 0.02 };
}

function decodeLoosely(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}

function scoreIdeographs(
  text: string,
  frequent: ReadonlySet<string>,
  kind: 'zh' | 'ja' | 'ko',
): number {
  let points = 0;
  let letters = 0;
  for (const letter of text) {
    if (letter <= '\u007f') continue;
    letters += 1;
    points += ideographPoints(letter, frequent, kind);
    if (letters >= SAMPLE_LETTERS) break;
  }
  return letters === 0 ? -1 : points / letters;
}

function ideographPoints(letter: string, frequent: ReadonlySet<string>, kind: string): number {
  if (frequent.has(letter)) return 1.1;
  if (/[\u3041-\u30ff]/.test(letter)) return kind === 'ja' ? 1 : -0.3;
  if (/[\uac00-\ud7a3]/.test(letter)) return kind === 'ko' ? 0.8 : -1;
  if (/[\uff61-\uff9f]/.test(letter)) return -0.4;
  if (NEUTRAL.test(letter)) return 0.5;
  if (/[\u4e00-\u9fff\uff01-\uff5e]/.test(letter)) return kind === 'ko' ? -0.1 : 0.15;
  return letter === '\ufffd' ? -4 : -0.8;
}

function scoreAlphabet(text: string, letters: string): number {
  const ranks = new Map(Array.from(letters).map((letter, at) => [letter, at]));
  let points = 0;
  let count = 0;
  // All of these encodings have letters of one code unit.
  for (let at = 0; at < text.length && count < SAMPLE_LETTERS; at += 1) {
    const letter = text.charAt(at);
    if (letter <= '\u007f') continue;
    count += 1;
    points += letterPoints(letter, text.charAt(at - 1), text.charAt(at + 1), ranks);
  }
  return count === 0 ? 0 : points / count;
}

function letterPoints(
  letter: string,
  before: string,
  after: string,
  ranks: ReadonlyMap<string, number>,
): number {
  const lower = letter.toLowerCase();
  const rank = ranks.get(lower) ?? ranks.get(letter);
  if (rank === undefined) {
    if (NEUTRAL.test(letter)) return 0.1;
    return letter === '\ufffd' || /[\u0080-\u009f]/.test(letter) ? -3 : -0.9;
  }
  // A letter of another script inside a Latin word.
  if (letter > '\u02ff' && (/[A-Za-z]/.test(before) || /[A-Za-z]/.test(after))) return -1.5;
  if (FINAL_FORM.test(letter) && /\p{L}/u.test(after)) return -1;
  const frequent = 1 - (rank / ranks.size) * 0.9;
  if (lower === letter) return frequent;
  // A capital inside a word of small letters, as in a text of another code page, or by itself.
  if (before !== before.toUpperCase()) return -1;
  return /\p{L}/u.test(before) || /\p{L}/u.test(after) ? frequent * 0.6 : -0.3;
}
