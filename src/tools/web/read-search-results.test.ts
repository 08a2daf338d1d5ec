import { expect, test } from 'vitest';
import { readSearchResults } from './read-search-results.ts';

const ONE = { title: 'One', url: 'https://a.example/1', text: 'First.' };

test.each([
  ['an array', [{ title: 'One', url: 'https://a.example/1', snippet: 'First.' }]],
  ['a nested list', { web: { results: [{ name: 'One', link: ONE.url, description: 'First.' }] } }],
  ['highlights', { results: [{ title: 'One', url: ONE.url, highlights: ['First.', ''] }] }],
])('Results are found in data: %s', (_, data) => {
  expect(readSearchResults(data, [])).toMatchObject([{ title: 'One', url: ONE.url }]);
  expect(readSearchResults(undefined, [JSON.stringify(data)])).toMatchObject([
    { title: 'One', url: ONE.url },
  ]);
});

test('Results are found in the lines of a text, and in Markdown links', () => {
  const lines =
    'Title: One\nURL: https://a.example/1\nDescription: First.\n\nTitle: Two\nURL: https://a.example/2';
  expect(readSearchResults(undefined, [lines])).toEqual([
    ONE,
    { title: 'Two', url: 'https://a.example/2' },
  ]);
  const links = '1. [One](https://a.example/1) – First.\n2. [Two](https://a.example/2)';
  expect(readSearchResults(undefined, [links])).toEqual([
    ONE,
    { title: 'Two', url: 'https://a.example/2' },
  ]);
  const bold = '**Title:** One\n**URL:** https://a.example/1\n**Snippet:** First.';
  expect(readSearchResults(undefined, [bold])).toEqual([ONE]);
});

test('Dates are kept, and each address is there once', () => {
  const dated = { title: 'One', url: ONE.url, page_age: '2026-01-31' };
  expect(readSearchResults([dated, dated], [])).toEqual([
    { title: 'One', url: ONE.url, date: '2026-01-31' },
  ]);
});

test.each([
  [[{ title: 'x', url: 'javascript:alert(1)' }]],
  [[{ title: 'x', url: 'file:///etc/passwd' }]],
  [[{ title: 'x', url: 'https://' }]],
  [[{ title: 7, url: {} }]],
  [[{ favicon: { url: 'https://a.example/icon.png' } }]],
  ['https://a.example'],
  [null],
])('What is no result is left out: %j', (data) => {
  expect(readSearchResults(data, ['no address here'])).toEqual([]);
});

test('Hostile answers are read in bounded time and size', () => {
  let deep: unknown = { title: 'x', url: 'https://a.example' };
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  expect(readSearchResults(deep, [])).toEqual([]);
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    title: 'x'.repeat(100),
    url: `https://a.example/${at}`,
    text: 'y'.repeat(100_000),
  }));
  const read = readSearchResults(many, []);
  expect(read).toHaveLength(200);
  expect(read[0]?.text).toHaveLength(4_000);
  for (const text of [
    '['.repeat(1_000_000),
    '[a]('.repeat(500_000),
    '[a](https://'.repeat(160_000),
    'Title: '.repeat(300_000),
    '*'.repeat(1_000_000),
    '* '.repeat(500_000),
  ]) {
    expect(readSearchResults(undefined, [text])).toEqual([]);
  }
});
