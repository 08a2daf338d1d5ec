import { expect, test } from 'vitest';
import { searchWeb } from '../../emulator/web.ts';
import { watchCitations } from '../watch-citations.ts';

test('An answer that cites what a search returned passes, another does not', () => {
  searchWeb({ query: 'rocket Heron', count: 1 }, 0);
  const rocket = { title: 'Rocket', url: 'https://news.example/rocket', mark: 'ref_1' };
  const good = { text: 'It flew [ref_1].', citations: [rocket] };
  expect(watchCitations(good)).toBe(good);
  expect(() => watchCitations({ ...good, text: 'It flew [ref_2].' })).toThrow('ref_2');
  const invented = { ...rocket, url: 'https://news.example/invented' };
  expect(() => watchCitations({ ...good, citations: [invented] })).toThrow('invented');
});
