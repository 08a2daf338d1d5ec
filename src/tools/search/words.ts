/** A query is a few words; what is beyond is not read. */
const MAX_CHARS = 2000;
const WORD = /[\p{L}\p{N}]+/gu;

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be before by can do does for from get give has have how i if in into is it its me my ' +
    'need no not of on one only or our out some that the their them then there these this to tool tools use used ' +
    'using want was what when where which who will with would you your'
  ).split(' '),
);

/** The words of a text for a search: lower case, without endings and words that say nothing. */
export function searchWords(text: string): string[] {
  const separated = text.slice(0, MAX_CHARS).replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  const words = separated.toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

/** The rules of a light stemmer, the first that fits: commits, checked, testing, queries. */
const ENDINGS: readonly (readonly [ending: RegExp, to: string])[] = [
  [/(?<=\p{L}{3})ies$/u, 'y'],
  [/(?<=\p{L}{2}(?:ss|sh|ch|x|z))es$/u, ''],
  [/(?<=\p{L}{2}[^s\P{L}u])s$/u, ''],
  [/(?<=\p{L}{3}(\p{L}))\1ing$/u, ''],
  [/(?<=\p{L}{3})ing$/u, ''],
  [/(?<=\p{L}{3}(\p{L}))\1ed$/u, ''],
  [/(?<=\p{L}{3})ed$/u, ''],
];

function stem(word: string): string {
  const rule = ENDINGS.find(([ending]) => ending.test(word));
  const cut = rule ? word.replace(rule[0], rule[1]) : word;
  // So that `code` and `coding`, `analyze` and `analyzing` are equal.
  return cut.length > 4 ? cut.replace(/e$/, '') : cut;
}
