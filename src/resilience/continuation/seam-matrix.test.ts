import { expect, test } from 'vitest';
import { caseCount } from '../../../test/thorough.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  resultOf,
  seamCases,
  toldUntil,
  type SeamCase,
  type SeamResult,
} from './seam-matrix.fixture.ts';
import { HEADED_TEXTS, MORE_TEXTS, PERIODIC, SEAM_TEXTS } from './seam-texts.fixture.ts';
import { MORE_WAYS, SEAM_WAYS } from './seam-ways.fixture.ts';

/** Every how manieth case is tried: 270,000 are all of them. */
const STEP = caseCount(67, 1);
const RESULTS: readonly SeamResult[] = [
  'whole',
  'typed',
  'doubled',
  'lost',
  'white space',
  'form',
  'added',
  'other',
];

type Counts = Readonly<Record<SeamResult, number>>;
const NONE = Object.fromEntries(RESULTS.map((each) => [each, 0])) as Counts;

/** Counts by kind of text, words of the second model, and whether a word was held back. */
function countAll(cases: Iterable<SeamCase & { name: string }>): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const each of cases) {
    const result = resultOf(each);
    if (!result) continue;
    const kind = PERIODIC.has(each.name) ? 'repeating' : 'ordinary';
    const isHeld = /\S/.test(toldUntil(each.text, each.cut).heldBack);
    const key = `${kind}, ${each.words} words`;
    const keys = [isHeld ? key : `${key}, at the start`];
    if (each.way === 'exactly') keys.push(`${key}, exactly`);
    for (const name of keys) {
      const row = counts.get(name) ?? NONE;
      counts.set(name, { ...row, [result.is]: row[result.is] + 1 });
    }
  }
  return counts;
}

verifies(
  'seam:repeating',
  'of texts that break off anywhere, and are continued in many ways, nothing is doubled or lost',
  () => {
    const counts = countAll(seamCases(SEAM_TEXTS, STEP));
    const row = (key: string) => counts.get(key) ?? NONE;
    const share = ({ doubled, 'white space': blanks, ...rest }: Counts) =>
      (doubled + blanks) / (doubled + blanks + rest.whole + rest.typed);
    if (STEP === 1) console.log(tableOf(counts));
    const wrong = [...counts].filter(([, { doubled, lost, other }]) => doubled + lost + other > 0);
    expect(wrong).toEqual([]);
    const exactly = row('ordinary, same words, exactly');
    expect(exactly).toEqual({ ...NONE, whole: exactly.whole });
    expect(exactly.whole).toBeGreaterThan(10);
    expect(row('ordinary, same words')['white space']).toBe(0);
    for (const words of ['ordinary, other', 'repeating, same', 'repeating, other'])
      expect(share(row(`${words} words`))).toBeLessThan(0.03); // White space alone.
    expect(row('ordinary, same words').typed).toBeLessThan(row('ordinary, same words').whole / 50);
  },
);

test('a text that repeats itself is continued whole by a model that begins with the anchor', () => {
  const results = [...seamCases(HEADED_TEXTS, 1)]
    .filter(({ way, words }) => way === 'the anchor, as it was asked' && words === 'same')
    .filter(({ asked }) => asked === 'anchor, ignored')
    .map((each) => resultOf(each)?.is)
    .filter((is) => is !== undefined);
  expect(results.length).toBeGreaterThan(400);
  const whole = results.filter((is) => is === 'whole').length;
  expect(results.filter((is) => is !== 'whole' && is !== 'typed')).toEqual([]);
  expect(whole / results.length).toBeGreaterThan(0.95);
});

test('of texts that repeat themselves after a beginning, nothing is doubled or lost', () => {
  const wrong = [...seamCases(HEADED_TEXTS, caseCount(19, 1))].filter((each) => {
    const is = resultOf(each)?.is ?? 'whole';
    return is === 'doubled' || is === 'lost' || is === 'other';
  });
  expect(wrong).toEqual([]);
});

/** Texts and ways that no rule was made for, one by one: of so many, a few may be beyond any proof. */
const MORE_STEP = caseCount(997, 7);

test('of further texts, continued in further ways, hardly anything is doubled or lost', () => {
  const counts = countAll([
    ...seamCases(SEAM_TEXTS, MORE_STEP, MORE_WAYS),
    ...seamCases(MORE_TEXTS, MORE_STEP, { ...SEAM_WAYS, ...MORE_WAYS }),
  ]);
  if (STEP === 1) console.log(tableOf(counts));
  const rows = [...counts].filter(([key]) => /words(?:, at the start)?$/.test(key));
  const sum = (of: readonly SeamResult[]) =>
    rows.reduce((all, [, row]) => all + of.reduce((some, each) => some + row[each], 0), 0);
  expect(sum(RESULTS)).toBeGreaterThan(600);
  expect(sum(['doubled', 'lost', 'other']) / sum(RESULTS)).toBeLessThan(0.002);
});

function tableOf(counts: ReadonlyMap<string, Counts>): string {
  const lines = [...counts].map(([key, row]) =>
    [key.padEnd(42), ...RESULTS.map((each) => `${each} ${row[each]}`.padEnd(18))].join(''),
  );
  return lines.toSorted().join('\n');
}
