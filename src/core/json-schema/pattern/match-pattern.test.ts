import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { createPatterns } from './match-pattern.ts';

const matched = (text: string, pattern: string) => createPatterns().match(text, pattern).match.is;

test.each([
  ['2026-11-15', String.raw`^\d{4}-\d{2}-\d{2}$`, 'yes'],
  ['15.11.2026', String.raw`^\d{4}-\d{2}-\d{2}$`, 'no'],
  ['ada@example.org', String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'yes'],
  ['ada', String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'no'],
  ['mon', '^(mon|tue|wed|thu|fri|sat|sun)$', 'yes'],
  ['moon', '^(mon|tue|wed|thu|fri|sat|sun)$', 'no'],
  ['+49 30', String.raw`^(\+\d{1,3} )?\d+$`, 'yes'],
  ['ababab', '^(ab){3}$', 'yes'],
  ['Passw0rd', '^(?=.*[A-Z])(?=.*[0-9]).{8,}$', 'yes'],
  ['password', '^(?=.*[A-Z])(?=.*[0-9]).{8,}$', 'no'],
  ['price 30', String.raw`(?<!\d)\d{2}$`, 'yes'],
  ['price 130', String.raw`(?<!\d)\d{2}$`, 'no'],
  ['👩', '^.$', 'yes'],
  ['Ünïcödé', String.raw`^\p{L}+$`, 'yes'],
  ['a.b-c', String.raw`^[\w-\.]+$`, 'yes'],
  ['x'.repeat(50_000), '^x+$', 'yes'],
])('matches %.20s with %s as the language does', (text, pattern, expected) => {
  expect(matched(text, pattern)).toBe(expected);
  expect(matched(text, pattern) === 'yes').toBe(inLanguage(pattern)?.test(text));
});

verifies(
  'security:foreign-patterns',
  'patterns that would keep a backtracking engine busy for ever are answered in counted steps',
  () => {
    const text = `${'a'.repeat(5_000)}!`;
    const hostile = [
      '^(a+)+$',
      '^(a+){0000000000001,}$',
      '^(a+){1,}$',
      '^(a|a)*$',
      '^(a|ab)+c$',
      '^(?:(?:a*)*)*$',
      String.raw`^(\w+\s?)*$`,
      'a*a*a*a*a*b',
      '^(?=(a+)+$)',
      '(?<=^(a|a)+)b',
    ];
    const outcomes = hostile.map((pattern) => {
      const { match, steps } = createPatterns().match(text, pattern);
      const { steps: more } = createPatterns().match(text.repeat(4), pattern);
      return { pattern, is: match.is, isLinear: more / steps < 4.2 };
    });
    expect(outcomes).toEqual(hostile.map((pattern) => ({ pattern, is: 'no', isLinear: true })));
  },
);

test.each([
  [String.raw`(.*)\1`, 'has a back-reference or an octal escape'],
  [String.raw`(?<a>.)\k<a>`, 'has a back-reference or an octal escape'],
  ['(', 'is not a regular expression'],
  ['[', 'is not a regular expression'],
  ['a{1,999999}', 'is too large'],
  ['(?:){99999999999999999999}', 'is too large'],
  ['^(((a{0,50}){0,50}){0,50})$', 'is too large'],
  ['a'.repeat(2_000), 'is too large'],
  ['^(a?){2000}$', 'takes too long for a text of that length'],
  [`^(?:${'a?'.repeat(450)})*$`, 'takes too long for a text of that length'],
])('leaves %.30s unchecked, because it %s', (pattern, because) => {
  const { match } = createPatterns().match(`${'a'.repeat(5_000)}!`, pattern);
  expect(match).toEqual({ is: 'unchecked', because });
});

test('leaves a text that is too long unchecked, for hardly a step', () => {
  const { match, steps } = createPatterns().match('x'.repeat(5_000_000), '^(?:x)*$');
  expect(match.is).toBe('unchecked');
  expect(steps).toBeLessThan(1_000);
});

test('a pattern is read once', () => {
  const patterns = createPatterns();
  const [first, second] = [1, 2].map(() => patterns.match('a1', String.raw`^\w\d$`).steps);
  expect(second).toBeLessThan((first ?? 0) / 10);
});

/** Short texts and shallow patterns, so that the language's engine ends soon, too. */
const someText = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', '1', '_', ' ', '-', '\n', 'é', '👩', '\ud83d', '}', ']'),
  maxLength: 6,
});

const CHARACTERS = words(
  String.raw`a b A 1 . é - _ \d \D \w \W \s [ab] [^a] [] [^] [\w-] \x61 \u0061 👩 [👩a] \u{1F469} \ud83d\udc69 \p{L} \b \B ^ $`,
);
const QUANTIFIERS = words('* + ? *? {2} {0,2} {1,} {0001,2}?');

const { pattern: somePattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...CHARACTERS),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), fc.constantFrom(...QUANTIFIERS))
      .map(([open, inner, quantifier]) => `${open}${inner})${quantifier}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
}));

const SIGNS = words(
  String.raw`a b 1 u x c p k , - : = ! < > 👩 ( ) (?: (?= [ ] { } {1,2} {2 * + ? | ^ $ . \ \b \d \x61 \u{61} \- \0 \ca \_`,
);

/** Whatever the language takes for a pattern, also by the grace of its older dialect. */
const someSigns = fc
  .array(fc.constantFrom(...SIGNS), { maxLength: 8 })
  .map((signs) => signs.join(''));

function words(text: string): string[] {
  return text.split(' ');
}

function inLanguage(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Tried in the other dialect.
    }
  }
  return undefined;
}

/** What we say, and what the language says; the same where we say nothing. */
function bothOf(pattern: string, text: string): readonly [string, string] {
  // V8 lets what matches no character match between the halves of one, which the language's
  // specification does not.
  fc.pre(!/\\[bB]|\(\?[!=<]/.test(pattern) || !/[\ud800-\udfff]/.test(text));
  const ours = matched(text, pattern);
  const expression = inLanguage(pattern);
  if (!expression) return [ours, 'unchecked'];
  return [ours, ours === 'unchecked' ? ours : expression.test(text) ? 'yes' : 'no'];
}

test.each([
  ['patterns that people write', somePattern],
  ['any row of signs', someSigns],
])('says of a short text what the engine of the language says: %s', (_, patterns) => {
  fc.assert(
    fc.property(patterns, someText, (pattern, text) => {
      const [ours, theirs] = bothOf(pattern, text);
      expect(ours).toBe(theirs);
    }),
  );
});

verifies(
  'security:foreign-patterns',
  'sets of Unicode that the engine would build for long are bounded in a pattern, and cost in all',
  () => {
    const patterns = createPatterns();
    const many = patterns.match('a', '\\p{L}'.repeat(9));
    expect(many.match).toEqual({ is: 'unchecked', because: 'has more than 8 Unicode properties' });
    expect(many.steps).toBeLessThan(200);
    const few = patterns.match('a', '^[\\p{L}\\p{N}]+$');
    expect(few.match).toEqual({ is: 'yes' });
    expect(few.steps).toBeGreaterThan(20_000);
    expect(patterns.match('a', '^[\\p{L}\\p{N}]+$').steps).toBeLessThan(200);
    // One that is no expression was read all the same.
    expect(patterns.match('a', '\\p{L}(').steps).toBeGreaterThan(10_000);
  },
);

test('looks cost by the length of a text', () => {
  const { match } = createPatterns().match('b'.repeat(400_000), '(?<=^a)'.repeat(100));
  expect(match).toMatchObject({ is: 'unchecked' });
});
