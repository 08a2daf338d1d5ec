import { expect, test } from 'vitest';
import { ignoreRules } from './ignore-rules.ts';

test.each([
  ['*.log', 'a.log', 'file', true],
  ['*.log', 'src/deep/a.log', 'file', true],
  ['*.log', 'a.logs', 'file', false],
  ['build/', 'build', 'folder', true],
  ['build/', 'build', 'file', false],
  ['build/', 'src/build', 'folder', true],
  ['/build', 'build', 'folder', true],
  ['/build', 'src/build', 'folder', false],
  ['src/gen', 'src/gen', 'folder', true],
  ['src/gen', 'lib/src/gen', 'folder', false],
  ['src/*.js', 'src/a.js', 'file', true],
  ['src/*.js', 'src/deep/a.js', 'file', false],
  ['logs/*', 'logs/a', 'file', true],
  ['logs/**', 'logs/a', 'folder', true],
  ['logs/**', 'logs', 'folder', false],
  ['**/tmp', 'a/b/tmp', 'folder', true],
  ['*.log\n!keep.log', 'keep.log', 'file', false],
  ['!keep.log\n*.log', 'keep.log', 'file', true],
  ['# *.ts', 'a.ts', 'file', false],
  ['\r\n*.ts\r\n', 'a.ts', 'file', true],
  ['*.py[cod]', 'a.pyc', 'file', false],
  ['a/**/b', 'a/b', 'file', false],
  ['*a*a*a*', 'aaa', 'file', false],
  [String.raw`\#x`, '#x', 'file', false],
  ['*', 'a', 'file', true],
  ['ab*ba', 'aba', 'file', false],
  ['/', 'a', 'file', false],
] as const)('%j of %j (a %s): %s', (rules, path, is, ignored) => {
  expect(ignoreRules(rules)(path, is)).toBe(ignored);
});
