/** How a verb stands in a text: `send`, `sends`, `sent`, `sending`. */
export type WordForm = 'base' | 'present' | 'past' | 'participle';

const VOWEL = /[aeiou]/;

/**
 * The forms of an English verb of a table. `ship+` doubles its last letter, `send:sent` names its
 * past.
 */
export function formsOfVerb(entry: string): readonly (readonly [string, WordForm])[] {
  const [head = '', ...irregular] = entry.split(':');
  const doubles = head.endsWith('+');
  const base = doubles ? head.slice(0, -1) : head;
  const past = irregular.length > 0 ? irregular : [regularPast(base, doubles)];
  return [
    [base, 'base'],
    [presentOf(base), 'present'],
    ...past.map((form) => [form, 'past'] as const),
    [participleOf(base, doubles), 'participle'],
  ];
}

function regularPast(base: string, doubles: boolean): string {
  if (base.endsWith('e')) return `${base}d`;
  if (endsInConsonantY(base)) return `${base.slice(0, -1)}ied`;
  return `${base}${doubles ? base.slice(-1) : ''}ed`;
}

function presentOf(base: string): string {
  if (endsInConsonantY(base)) return `${base.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(base) ? `${base}es` : `${base}s`;
}

function participleOf(base: string, doubles: boolean): string {
  const isCut = base.endsWith('e') && !base.endsWith('ee');
  return `${isCut ? base.slice(0, -1) : base}${doubles ? base.slice(-1) : ''}ing`;
}

function endsInConsonantY(word: string): boolean {
  return word.endsWith('y') && !VOWEL.test(word.at(-2) ?? 'a');
}

/** A noun and its plural. */
export function formsOfNoun(noun: string): readonly string[] {
  return [noun, presentOf(noun)];
}
