import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { isPlaced, place, stillMeant, unplace } from './place.ts';

describe('a path', () => {
  test.each([
    ['src/a.ts', '/work/src/a.ts'],
    ['./a.ts', '/work/a.ts'],
    ['../b/a.ts', '/b/a.ts'],
    ['~a', '/work/~a'],
    ['/else/a.ts', '/else/a.ts'],
    ['file:///else/a.ts', 'file:///else/a.ts'],
    ['https://a.example/b', 'https://a.example/b'],
    ['~/a.ts', '~/a.ts'],
    ['C:\\a.ts', 'C:\\a.ts'],
    ['\\\\host\\a', '\\\\host\\a'],
    [' ', ' '],
  ])('%j is %j from everywhere', (given, placed) => {
    expect(place(given, ['/work', '/other'])).toBe(placed);
  });

  test('stays as it is where nobody has a root', () => {
    expect(place('a.ts', [])).toBe('a.ts');
    expect(isPlaced('a.ts')).toBe(false);
  });

  test.each([
    ['/work/src/a.ts', 'src/a.ts'],
    ['/work/..a', '..a'],
    ['/work', '/work'],
    ['/workshop/a.ts', '/workshop/a.ts'],
    ['/other/a.ts', '/other/a.ts'],
    ['a.ts', 'a.ts'],
  ])('%j reads as %j from the root', (path, seen) => {
    expect(unplace(path, ['/work'])).toBe(seen);
  });
});

test('what was named without a root means nothing to who has one', () => {
  const paths = ['a.ts', '/work/b.ts'];
  expect(stillMeant(paths, [])).toEqual({ paths, notices: [] });
  expect(stillMeant(paths, ['/work'])).toEqual({
    paths: ['/work/b.ts'],
    notices: [notice('file_path_relative', { path: 'a.ts' })],
  });
});
