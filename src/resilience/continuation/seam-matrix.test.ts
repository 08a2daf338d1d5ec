import { expect, test } from 'vitest';
import { caseCount } from '../../../test/thorough.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  HEADED_TEXTS,
  PERIODIC,
  resultOf,
  seamCases,
  SEAM_TEXTS,
  toldUntil,
  type SeamResult,
} from './seam-matrix.fixture.ts';

/** Every how manieth case is tried: 270,000 are all of them. */
const STEP = caseCount(67, 1);
const RESULTS: readonly SeamResult[] = [
  'whole',
  'typed',
  'doubled',
  'lost',
  'white space',
  'other',
];

type Counts = Readonly<Record<SeamResult, number>>;
const NONE: Counts = { whole: 0, typed: 0, doubled: 0, lost: 0, 'white space': 0, other: 0 };

/** Counts by kind of text, words of the second model, and whether a word was held back. */
function countAll(): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const each of seamCases(SEAM_TEXTS, STEP)) {
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
    const counts = countAll();
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

function tableOf(counts: ReadonlyMap<string, Counts>): string {
  const lines = [...counts].map(([key, row]) =>
    [key.padEnd(42), ...RESULTS.map((each) => `${each} ${row[each]}`.padEnd(18))].join(''),
  );
  return lines.toSorted().join('\n');
}
