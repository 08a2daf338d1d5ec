import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import {
  isRootIndependent,
  resolveInRoot,
  dropAmbiguousPaths,
  relativeToRoot,
} from './attachment-paths.ts';

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
    expect(resolveInRoot(given, ['/work', '/other'])).toBe(placed);
  });

  test('stays as it is without a root', () => {
    expect(resolveInRoot('a.ts', [])).toBe('a.ts');
    expect(isRootIndependent('a.ts')).toBe(false);
  });

  test.each([
    ['/work/src/a.ts', 'src/a.ts'],
    ['/work/..a', '..a'],
    ['/work', '/work'],
    ['/workshop/a.ts', '/workshop/a.ts'],
    ['/other/a.ts', '/other/a.ts'],
    ['a.ts', 'a.ts'],
  ])('%j reads as %j from the root', (path, seen) => {
    expect(relativeToRoot(path, ['/work'])).toBe(seen);
  });
});

test('a path named without a root is dropped once there are roots', () => {
  const paths = ['a.ts', '/work/b.ts'];
  expect(dropAmbiguousPaths(paths, [])).toEqual({ paths, notices: [] });
  expect(dropAmbiguousPaths(paths, ['/work'])).toEqual({
    paths: ['/work/b.ts'],
    notices: [notice('file_path_relative', { path: 'a.ts' })],
  });
});
