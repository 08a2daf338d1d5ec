import { expect, test } from 'vitest';
import { caseCount } from '../../../test/thorough.ts';
import {
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

test('of texts that break off anywhere, and are continued in many ways, nothing is lost', () => {
  const counts = countAll();
  const row = (key: string) => counts.get(key) ?? NONE;
  const share = ({ doubled, 'white space': blanks, ...rest }: Counts) =>
    (doubled + blanks) / (doubled + blanks + rest.whole + rest.typed);
  if (STEP === 1) console.log(tableOf(counts));
  const losing = [...counts]
    .filter(([key, { lost, other }]) => lost + other > 0 && !key.startsWith('repeating, other'))
    .map(([key]) => key);
  expect(losing).toEqual([]);
  for (const kind of ['ordinary', 'repeating']) {
    const exactly = row(`${kind}, same words, exactly`);
    expect(exactly).toEqual({ ...NONE, whole: exactly.whole });
    expect(exactly.whole).toBeGreaterThan(10);
  }
  for (const words of ['same', 'other'])
    for (const at of ['', ', at the start'])
      expect(row(`ordinary, ${words} words${at}`).doubled).toBe(0);
  expect(row('ordinary, same words')['white space']).toBe(0);
  // What remains is a continuation that repeats whole periods of a text that repeats itself: it is a
  // continuation of the pattern, too.
  expect(share(row('repeating, same words'))).toBeLessThan(0.02);
  expect(share(row('ordinary, other words'))).toBeLessThan(0.03); // White space alone.
  expect(row('ordinary, same words').typed).toBeLessThan(row('ordinary, same words').whole / 50);
});

function tableOf(counts: ReadonlyMap<string, Counts>): string {
  const lines = [...counts].map(([key, row]) =>
    [key.padEnd(42), ...RESULTS.map((each) => `${each} ${row[each]}`.padEnd(18))].join(''),
  );
  return lines.toSorted().join('\n');
}
