import { expect, test } from 'vitest';
import { relatedTerms } from '../related-words.ts';
import { stemEnglish } from '../stem-english.ts';
import { countSubjects, subjectsOfTerm } from '../term-subjects.ts';
import { wordRoot } from '../word-root.ts';
import { allSubjects, isKnownWord } from './subjects.ts';

const sharesOf = (word: string) =>
  new Map(relatedTerms(stemEnglish(word)).map(({ term, share }) => [term, share]));

test('every subject has names and other words, each a term once', () => {
  for (const { names, others } of allSubjects()) {
    expect(names.length).toBeGreaterThan(0);
    expect(names.concat(others).every((term) => /^[a-z0-9]+$/.test(term))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(others).size).toBe(others.length);
  }
});

test('words of a close subject tell more about each other than those of a wide one', () => {
  expect(sharesOf('umbrella').get(stemEnglish('weather'))).toBe(0.8);
  expect(sharesOf('astronaut').get(stemEnglish('astronomy'))).toBe(0.4);
  expect(sharesOf('umbrella').has('umbrella')).toBe(false);
  expect(relatedTerms('qwxyz')).toEqual([]);
});

test('a word of many subjects tells less about each', () => {
  const [rare, common] = [subjectsOfTerm('kanban'), subjectsOfTerm(stemEnglish('search'))];
  expect(rare?.subjects.length).toBeLessThan(common?.subjects.length ?? 0);
  expect(rare?.share).toBeGreaterThan(common?.share ?? 1);
  for (const subject of common?.subjects ?? []) expect(subject).toBeLessThan(countSubjects());
  expect(subjectsOfTerm('qwxyz')).toBeUndefined();
});

test('Chinese words have the subjects of their English ones', () => {
  const weather = subjectsOfTerm(stemEnglish('weather'))?.subjects ?? [];
  expect(subjectsOfTerm('天气')?.subjects).toEqual(expect.arrayContaining([...weather]));
});

test.each([
  ['translation', 'translator'],
  ['recommendation', 'recommend'],
  ['vaporizer', 'vaporization'],
  ['management', 'manager'],
])('%s has the root of %s', (one, other) => {
  expect(wordRoot(stemEnglish(one))).toBe(wordRoot(stemEnglish(other)));
});

test('short words and other scripts are their own roots', () => {
  for (const term of ['note', '天气', 'a1', 'city', 'ration']) expect(wordRoot(term)).toBe(term);
});

test('names without separators are cut at words of close subjects', () => {
  expect(isKnownWord('weather')).toBe(true);
  expect(isKnownWord('constructor')).toBe(false);
});
