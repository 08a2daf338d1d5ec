// The stemmer "English" (Porter2) of Martin Porter, by its published description.

const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const BEFORE_LI = /[cdeghkmnrt]$/;
const MAX_CHARS = 40;

const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
);
const UNCHANGED = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes']);
const AFTER_PLURAL = new Set(
  'inning outing canning herring earring proceed exceed succeed'.split(' '),
);
const LONG_BEGINNING = /^(?:gener|commun|arsen)/;
const REGION = /[aeiouy][^aeiouy]/;

/** Longest ending first. */
const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
];
const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|(?<=[st])ion)$/;

const ENGLISH = /^[a-z]{3,}$/;

/** The stem of a word of English letters in lower case; any other word is unchanged. */
export function stemEnglish(word: string): string {
  if (word.length > MAX_CHARS || !ENGLISH.test(word)) return word;
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined) return exception;
  if (UNCHANGED.has(word)) return word;
  // A consonant y is upper case until the end.
  let stem = word.replace(/^y/, 'Y').replaceAll(/([aeiouy])y/g, '$1Y');
  const r1 = regionOf(stem);
  const r2 = regionAfter(stem, r1);
  stem = withoutPlural(stem);
  if (AFTER_PLURAL.has(stem)) return stem;
  stem = withoutTense(stem, r1);
  stem = stem.replace(/(.[^aeiouy])[yY]$/, '$1i');
  stem = withoutAtive(replaceEnding(stem, r1), r2);
  stem = shorten(stem, r1, r2);
  return lastLetter(stem, r1, r2).toLowerCase();
}

/** Where the region after the first consonant that follows a vowel begins. */
function regionOf(word: string): number {
  const beginning = LONG_BEGINNING.exec(word)?.[0];
  return beginning === undefined ? regionAfter(word, 0) : beginning.length;
}

function regionAfter(word: string, from: number): number {
  const at = word.slice(from).search(REGION);
  return at === -1 ? word.length : from + at + 2;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word;
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutTense(word: string, r1: number): string {
  const [eed] = /(?:eedly|eed)$/.exec(word) ?? [];
  if (eed !== undefined) {
    const cut = word.length - eed.length;
    return cut >= r1 ? `${word.slice(0, cut)}ee` : word;
  }
  const [ending] = /(?:ingly|edly|ing|ed)$/.exec(word) ?? [];
  if (ending === undefined) return word;
  const cut = word.slice(0, -ending.length);
  if (!VOWEL.test(cut)) return word;
  if (/(?:at|bl|iz)$/.test(cut)) return `${cut}e`;
  if (DOUBLE.test(cut)) return cut.slice(0, -1);
  return isShort(cut, r1) ? `${cut}e` : cut;
}

/** Whether it ends in a short syllable and nothing follows. */
function isShort(word: string, r1: number): boolean {
  return r1 >= word.length && endsShort(word);
}

function endsShort(word: string): boolean {
  return /^[aeiouy][^aeiouy]$|[^aeiouy][aeiouy][^aeiouywxY]$/.test(word);
}

function replaceEnding(word: string, r1: number): string {
  const second = replaceFirst(word, STEP_2, r1) ?? replaceRest(word, r1) ?? word;
  return replaceFirst(second, STEP_3, r1) ?? second;
}

function replaceFirst(
  word: string,
  endings: readonly (readonly [string, string])[],
  r1: number,
): string | undefined {
  const rule = endings.find(([ending]) => word.endsWith(ending));
  if (!rule) return undefined;
  const cut = word.length - rule[0].length;
  return cut >= r1 ? word.slice(0, cut) + rule[1] : word;
}

function replaceRest(word: string, r1: number): string | undefined {
  if (word.endsWith('logi')) return word.length - 3 >= r1 ? word.slice(0, -1) : word;
  if (!word.endsWith('li')) return undefined;
  const cut = word.slice(0, -2);
  return cut.length >= r1 && BEFORE_LI.test(cut) ? cut : word;
}

function withoutAtive(word: string, r2: number): string {
  return word.endsWith('ative') && word.length - 5 >= r2 ? word.slice(0, -5) : word;
}

function shorten(word: string, r1: number, r2: number): string {
  const [ending] = STEP_4.exec(word) ?? [];
  if (ending === undefined) return word;
  return word.length - ending.length >= Math.max(r1, r2) ? word.slice(0, -ending.length) : word;
}

function lastLetter(word: string, r1: number, r2: number): string {
  const cut = word.slice(0, -1);
  if (word.endsWith('e')) {
    return cut.length >= r2 || (cut.length >= r1 && !endsShort(cut)) ? cut : word;
  }
  return word.endsWith('ll') && cut.length >= r2 ? cut : word;
}
