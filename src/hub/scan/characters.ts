/** Characters that a reader does not see, or that show a text in another order. */
export interface HiddenCharacters {
  readonly invisible: number;
  readonly bidirectional: number;
  readonly control: number;
  readonly mixedWords: readonly string[];
}

const ANY_HIDDEN = /[^\t\n\r\x20-\x7e]/;
const CONTROL = /(?![\t\n\r])\p{Cc}/gu;
const BIDIRECTIONAL = /[\u202a-\u202e\u2066-\u2069]/g;
/** Zero width, word joiners, fillers, tags and private use; variation selectors belong to emoji. */
const INVISIBLE =
  /(?!\p{Variation_Selector}|[\u202a-\u202e\u2066-\u2069])[\p{Default_Ignorable_Code_Point}\p{Co}\ufff9-\ufffb]|[\u{e0100}-\u{e01ef}]/gu;
/** Emoji of several characters, flags of regions, and scripts that join or part letters with them. */
const JOINED =
  /(?:\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?\u200d)+\p{Extended_Pictographic}|\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{1,8}\u{e007f}/gu;
const NEEDS_JOINERS =
  /\p{Script=Arabic}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Thai}|\p{Script=Khmer}|\p{Script=Lao}|\p{Script=Myanmar}|\p{Script=Hebrew}/u;
/** Soft hyphens within words, which hide nothing: words are read without them. */
const BETWEEN_LETTERS = /(?<=\p{Ll})\u00ad(?=\p{Ll})/gu;
/** Variants of Chinese characters, one selector for each. */
const HAN_VARIANTS = /(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}](?!\p{Variation_Selector})/gu;
/** Words of another direction within such a text stand between isolates. */
const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u;
const ISOLATES = /[\u2066-\u2069]/g;
const JOINERS = /[\u200b-\u200f]/g;
const SELECTORS = /\p{Variation_Selector}{2}/u;

/** Undefined for a text of plain characters, as nearly all are. */
export function findHidden(text: string): HiddenCharacters | undefined {
  if (!ANY_HIDDEN.test(text)) return undefined;
  let seen = text.replaceAll(JOINED, '');
  if (seen.startsWith('\ufeff')) seen = seen.slice(1);
  if (NEEDS_JOINERS.test(seen)) seen = seen.replaceAll(JOINERS, '');
  seen = seen.replaceAll(BETWEEN_LETTERS, '').replaceAll(HAN_VARIANTS, '');
  if (RIGHT_TO_LEFT.test(seen)) seen = seen.replaceAll(ISOLATES, '');
  const found = {
    invisible: countOf(seen, INVISIBLE) + (SELECTORS.test(seen) ? 1 : 0),
    bidirectional: countOf(seen, BIDIRECTIONAL),
    control: countOf(seen, CONTROL),
    mixedWords: mixedWords(text),
  };
  const isClean =
    found.invisible + found.bidirectional + found.control + found.mixedWords.length === 0;
  return isClean ? undefined : found;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Cyrillic, Greek and Armenian letters that look like Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    ѕ: 's',
    т: 't',
    у: 'y',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    ο: 'o',
    α: 'a',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ρ: 'p',
    υ: 'u',
    օ: 'o',
    ո: 'n',
    ս: 'u',
  }),
);
const MIN_MIXED_CHARS = 4;
const MAX_MIXED = 5;
const LETTERS = /\p{L}+/gu;
const HAS_LATIN = /[a-z]/i;

/** Words of Latin letters with lookalikes among them. Single letters, as in formulas, are none. */
function mixedWords(text: string): readonly string[] {
  const found: string[] = [];
  for (const [word] of text.matchAll(LETTERS)) {
    if (word.length < MIN_MIXED_CHARS || !HAS_LATIN.test(word) || found.length >= MAX_MIXED)
      continue;
    const latin = toLatin(word);
    if (latin !== word.toLowerCase() && /^[a-z]+$/.test(latin)) found.push(word);
  }
  return found;
}

function toLatin(word: string): string {
  return Array.from(word.toLowerCase(), (letter) => LOOKALIKES.get(letter) ?? letter).join('');
}

const WORD_GAPS = /\p{Default_Ignorable_Code_Point}/gu;

/** The text as it reads: without hidden characters, compatibility forms and lookalikes. */
export function foldLookalikes(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  const plain = normalise(text).replaceAll(WORD_GAPS, '');
  return plain.replaceAll(LETTERS, (word) => {
    if (word.length < MIN_MIXED_CHARS || !HAS_LATIN.test(word)) return word;
    const latin = toLatin(word);
    return /^[a-z]+$/.test(latin) ? latin : word;
  });
}

/** One character may become 18; then those that are left out are such, too. */
function normalise(text: string): string {
  return text.normalize('NFKC').slice(0, Math.max(MIN_NORMALISED_CHARS, 2 * text.length));
}

const MIN_NORMALISED_CHARS = 1_000;

/** Text in characters of the tag block, which shows as nothing. */
export function readTags(text: string): string {
  let hidden = '';
  for (const [tag] of text.matchAll(/[\u{e0020}-\u{e007e}]/gu)) {
    hidden += String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000);
  }
  return hidden;
}
