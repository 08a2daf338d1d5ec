import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../../test/property-seed.ts';
import { isSingleCharacter, queryTerms, searchTerms } from './search-terms.ts';

const terms = (query: string) => queryTerms(query).map(({ term }) => term);

test('a text is found by stems, parts of names and pairs of characters', () => {
  expect(searchTerms('Searching files')).toEqual(['search', 'file']);
  expect(searchTerms('call readWholeFile()')).toEqual(
    expect.arrayContaining(['call', 'readwholefil', 'read', 'whole', 'file']),
  );
  expect(searchTerms('HTMLParser')).toEqual(expect.arrayContaining(['html', 'parser']));
  expect(searchTerms('检索系统')).toEqual(['检', '索', '系', '统', '检索', '索系', '系统']);
});

test('a query has each term once, without words that say nothing', () => {
  expect(terms('What are the wings of the wing?')).toEqual(['wing']);
  expect(terms('how to be')).toEqual(['how', 'to', 'be']);
  expect(terms('怎么检索')).toEqual(expect.arrayContaining(['检索']));
  expect(terms('怎么检索')).not.toContain('怎么');
  expect(terms('')).toEqual([]);
});

test('a single character of a script without spaces counts fully only alone', () => {
  expect(queryTerms('猫')).toEqual([{ term: '猫', weight: 1 }]);
  expect(queryTerms('检索').find(({ term }) => term === '检')?.weight).toBeLessThan(1);
  expect(['检', '𠀀', '検', 'a', '检索', ''].map(isSingleCharacter)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('long words are cut, alike in texts and queries', () => {
  const long = `${'x'.repeat(39)}𠮷${'y'.repeat(100)}`;
  expect(searchTerms('z'.repeat(1000))).toEqual(terms('z'.repeat(1000)));
  expect(searchTerms(long).every((term) => term.isWellFormed())).toBe(true);
});

test('every word of a text finds it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 8 }),
      (words) => {
        const known = new Set(searchTerms(words.join(' ')));
        for (const word of words) for (const term of terms(word)) expect(known).toContain(term);
      },
    ),
    { numRuns: 200 },
  );
});
