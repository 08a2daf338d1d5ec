import { expect, test } from 'vitest';
import { diffOf, diffText } from './diff.ts';

const shownLines = (text: string) => text.split('\n');

test('a diff is what git and patch read', () => {
  const before = 'a\nb\nc\nd\ne\nf\n';
  const hunk = diffOf(before, 'a\nb\nc\nx\ny\ne\nf\n', shownLines);
  expect(hunk && diffText('f', hunk)).toBe(
    '--- f\n+++ f\n@@ -2,5 +2,6 @@\n b\n c\n-d\n+x\n+y\n e\n f',
  );
  expect(diffOf(before, before, shownLines)).toBeUndefined();
});

test.each([
  ['', 'a\n', '@@ -0,0 +1,1 @@', '+a'],
  ['a\n', '', '@@ -1,1 +0,0 @@', '-a'],
  ['a\n', 'a\na\n', '@@ -1,1 +1,2 @@', ' a +a'],
])('from %j to %j', (before, after, head, lines) => {
  const hunk = diffOf(before, after, shownLines);
  expect(hunk?.head).toBe(head);
  expect(hunk && diffText('f', hunk).split('\n').slice(3).join(' ')).toBe(lines);
});

test('lines are compared as they are, and shown as they may be', () => {
  const hunk = diffOf('a\r\nb\r\nd\r\n', 'a\r\nc\r\nd\r\n', (text) =>
    text.split('\r\n').map(() => '*'),
  );
  expect(hunk && diffText('f', hunk).split('\n').slice(3)).toEqual([' *', '-*', '+*', ' *']);
});
