import { patternAcross } from './overlap.ts';
import { isInCode } from './seam-blanks.ts';
import { UNSPACED } from './unspaced.ts';

/** Words are looked for in this much of the end of a text. */
const LOOKED_AT_CHARS = 2000;

/** Short words that do not make another word when they are joined to themselves, unlike "ma" or "can". */
export const SHORT_WORDS: ReadonlySet<string> = new Set(
  (
    'a i in is it of to or on an as at by he we my me if be us up so the and but for not are was its ' +
    'his her you has had all any one our out who how why did get may new now old see two way ' +
    'der die das und ist ein den dem des mit von zu im es er wir sie le la les un une et du de que ' +
    'el los las una con por il di che'
  ).split(' '),
);

/** Words that writers say twice on purpose, with a space between, or that grammar doubles. */
const DOUBLED_WORDS: ReadonlySet<string> = new Set(
  (
    'very so many much more really far long had that no yes is ha ho he hey bye blah now there again ' +
    'never over on in do well tut knock please big old end int sehr ganz die das der viel nein ja ' +
    'nous vous se très bien muy poco piano molto quasi'
  ).split(' '),
);

const MAX_WORDS_CHARS = 100;
const LAST_WORDS = /(?:^|[^\p{L}\p{N}_.@/\\-])((?:\p{L}+ )?(\p{L}+))( ?)$/u;

/**
 * How many characters at the start of a continuation say the last word of the text so far again, or
 * its last two words. A word is short, so only what the text itself shows counts:
 *
 * - Without a space between ("… the lazy" + "lazy dog") it would be one word, "lazylazy". Short
 *   words count only if they are known.
 * - With a space ("… the lazy " + "lazy dog") it would be a doubled word. It is kept in code, where
 *   the text has doubled words already, if it begins with a capital letter, as names do ("Duran
 *   Duran"), and if it is a word that is doubled on purpose ("very very", "nous nous").
 */
export function repeatedWords(
  before: string,
  continuation: string,
  last: 'last' | 'more',
): number | 'undecided' {
  const tail = before.slice(-LOOKED_AT_CHARS);
  const [, both = '', word = '', space = ''] =
    LAST_WORDS.exec(before.slice(-MAX_WORDS_CHARS)) ?? [];
  if (word === '' || UNSPACED.test(both) || isInCode(before)) return 0;
  for (const words of both === word ? [word] : [both, word]) {
    const said = repeatedAs(words, space, tail, continuation, last);
    if (said === 'undecided') return said;
    if (said === 0) continue;
    const start = continuation.startsWith(' ') ? 1 : 0;
    const end = before.length - space.length;
    const found = { before, end, continuation, blanks: 0, start, chars: words.length };
    // Half of a short word may be the same by chance.
    const pattern = patternAcross(found, 1);
    if (pattern === 'no_pattern') return said;
    if (pattern === 'undecided') return last === 'more' ? pattern : said;
  }
  return 0;
}

function repeatedAs(
  words: string,
  space: string,
  tail: string,
  continuation: string,
  last: 'last' | 'more',
): number | 'undecided' {
  const lead = space === '' && continuation.startsWith(' ') ? 1 : 0;
  const end = lead + words.length;
  const begun = continuation.slice(lead, end);
  if (!words.startsWith(begun)) return 0;
  // The word after it shows whether it is said over and over.
  const next = /^(\s*)(\p{L}*)/u.exec(continuation.slice(end));
  const [all = '', blanks = '', following = ''] = next ?? [];
  const isOpen = end + all.length >= continuation.length && last === 'more';
  if (begun.length < words.length) return last === 'more' ? 'undecided' : 0;
  if (blanks === '' && following !== '') return 0;
  if (/^[\p{N}_'’-]/u.test(continuation.slice(end))) return 0;
  if (isOpen) return 'undecided';
  const isFused = space === '' && lead === 0;
  if (following !== '' && (words === following || words.startsWith(`${following} `))) return 0;
  if (isFused) return isFusedRepetition(words, tail) ? end : 0;
  if (space !== '' && blanks === '') return 0;
  return isDoubledByMistake(words, tail) ? end + (space === '' ? 0 : 1) : 0;
}

function isFusedRepetition(words: string, tail: string): boolean {
  const isKnown = words.length > 3 || SHORT_WORDS.has(words.toLowerCase());
  return isKnown && !tail.slice(0, -1).includes(words + words) && !isDoubled(words);
}

function isDoubledByMistake(words: string, tail: string): boolean {
  if (words !== words.toLowerCase() && words !== 'I') return false;
  if (words.length === 1 && words !== 'a' && words !== 'I') return false;
  if (words.split(' ').every((word) => DOUBLED_WORDS.has(word))) return false;
  return !/(?:^|[^\p{L}])(\p{L}+) \1(?![\p{L}])/u.test(tail);
}

/** Whether a word is one syllable that is said again: "haha", "ababab". */
function isDoubled(word: string): boolean {
  for (let period = 1; 2 * period <= word.length; period++)
    if (word.slice(period) === word.slice(0, -period)) return true;
  return false;
}
