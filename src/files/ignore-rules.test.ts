import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_IGNORE_RULES, type IgnoreRules } from './ignore-rules.ts';

const rulesOf = (text: string) => NO_IGNORE_RULES.with('', text.split('\n'));

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
  ['*.py[cod]', 'a.pyc', 'file', true],
  ['*.py[!cod]', 'a.pyc', 'file', false],
  ['a/**/b', 'a/b', 'file', true],
  ['a/**/b', 'a/x/y/b', 'file', true],
  ['a?c', 'abc', 'file', true],
  ['a?c', 'a/c', 'file', false],
  ['*a*a*a*', 'xaxaxax', 'file', true],
  [String.raw`\#x`, '#x', 'file', true],
  [String.raw`\!x`, '!x', 'file', true],
  [String.raw`a\*`, 'ab', 'file', false],
  ['a  ', 'a', 'file', true],
  ['*', 'a', 'file', true],
  ['ab*ba', 'aba', 'file', false],
  ['/', 'a', 'file', false],
  ['[', '[', 'file', false],
  [`${'a'.repeat(2_000)}\n*.b`, 'a.b', 'file', true],
] as const)('%j of %j (a %s): %s', (rules, path, is, ignored) => {
  expect(rulesOf(rules).ignores(path, is)).toBe(ignored);
});

test('rules of a folder count below it, before those above', () => {
  const rules = rulesOf('*.log\n').with('a [1]', ['!keep.log', '/top', 'made/', 'deep/x']);
  expect(rules.ignores('keep.log', 'file')).toBe(true);
  expect(rules.ignores('a [1]/keep.log', 'file')).toBe(false);
  expect(rules.ignores('a [1]/b/keep.log', 'file')).toBe(false);
  expect(rules.ignores('a [1]/other.log', 'file')).toBe(true);
  expect(rules.ignores('a [1]/top', 'file')).toBe(true);
  expect(rules.ignores('a [1]/b/top', 'file')).toBe(false);
  expect(rules.ignores('a [1]/b/made', 'folder')).toBe(true);
  expect(rules.ignores('made', 'folder')).toBe(false);
  expect(rules.ignores('a [1]/deep/x', 'file')).toBe(true);
  expect(rules.ignores('a 1/top', 'file')).toBe(false);
});

describe('steps', () => {
  test('no rules take none', () => {
    expect(rulesOf('# nothing\n\n').steps('a/b')).toBe(0);
  });

  test('they grow with the path, the pattern, and the depth for each globstar', () => {
    expect(rulesOf('*.log').steps('a.log')).toBe(25);
    expect(rulesOf('*.log').steps('abcd/a.log')).toBe(50);
    expect(rulesOf('**/a').steps('a/b/c/d/e')).toBe(9 * 4 * 5);
    expect(rulesOf('a/**/b/**/c').steps('a/b/c/d/e')).toBe(9 * 11 * 25);
    expect(rulesOf('*.log\n**/a').steps('a/b/c/d/e')).toBe(9 * (5 + 4 * 5));
  });

  test('thirty stars in one name are matched without trying each way', () => {
    // Backtracking would never end.
    const rules = rulesOf(`${'*a'.repeat(30)}*b\n${'*?'.repeat(30)}*b\n${'*[a-z]'.repeat(30)}*b`);
    expect(rules.steps('a'.repeat(255))).toBeLessThan(100_000);
    expect(rules.ignores('a'.repeat(255), 'file')).toBe(false);
    expect(rules.ignores(`${'a'.repeat(254)}b`, 'file')).toBe(true);
  });
});

/** A repository with the same files for all cases; only the rules change. */
const FOLDERS = ['', 'a', 'a/b', 'a/b/a', 'b', 'b/ab', 'ab', 'a b', '[a]', 'a/*'];
const NAMES = ['a.x', 'b.x', 'ab', 'ba', 'abc', 'a c', '!a', '#a', '*', 'x]'];
const FILES = FOLDERS.flatMap((folder) => NAMES.map((name) => joined(folder, name))).filter(
  (path) => !FOLDERS.includes(path),
);

const repository = mkdtempSync(join(tmpdir(), 'exai-ignore-'));
afterAll(() => rmSync(repository, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: repository, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: repository, env, encoding: 'utf8' });
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function prepareRepository(): void {
  git('init', '--quiet');
  for (const file of FILES) {
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    writeFileSync(join(repository, file), '');
  }
}

/** The files that our rules leave, walking down like walk.ts. */
function kept(texts: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const folders: [folder: string, above: IgnoreRules][] = [['', NO_IGNORE_RULES]];
  for (const [folder, above] of folders) {
    const rules = above.with(folder, (texts.get(folder) ?? '').split('\n'));
    const isInside = (path: string) => path !== '' && parentOf(path) === folder;
    found.push(...FILES.filter(isInside).filter((path) => !rules.ignores(path, 'file')));
    for (const path of FOLDERS.filter(isInside)) {
      if (!rules.ignores(path, 'folder')) folders.push([path, rules]);
    }
  }
  return found.toSorted();
}

function parentOf(path: string): string {
  return path.includes('/') ? dirname(path) : '';
}

function keptByGit(texts: ReadonlyMap<string, string>): string[] {
  for (const folder of FOLDERS) {
    const file = join(repository, folder, '.gitignore');
    const text = texts.get(folder);
    if (text === undefined) rmSync(file, { force: true });
    else writeFileSync(file, text);
  }
  const listed = git('ls-files', '--others', '--exclude-standard', '-z').split('\0').slice(0, -1);
  return listed.filter((path) => !path.endsWith('.gitignore')).toSorted();
}

/** Parts of names in patterns; a space is separate. */
const PIECES = String.raw`a b ab x c . ! # * * ? [ab] [!a] [^b] [a-c] []x] [[:alpha:]] [ ] [z-a] [! - \* \a \[ \#`;
const piece = fc.constantFrom(' ', String.raw`\ `, ...PIECES.split(' '));
// Stars side by side mean something else to git than its own manual says: the package follows the
// manual.
const segment = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join('').replaceAll(/(?<!\\)\*{2,}/g, '*'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/', '**/'),
    fc.array(fc.oneof({ weight: 4, arbitrary: segment }, fc.constant('**')), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom('', '', '/', ' ', '/  ', '\r', '/**', '/*'),
  )
  .map(([start, segments, end]) => `${start}${segments.join('/')}${end}`);
const file = fc.array(pattern, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'));
const texts = fc
  .tuple(file, fc.dictionary(fc.constantFrom(...FOLDERS), file, { maxKeys: 3 }))
  .map(([top, others]) => new Map(Object.entries({ ...others, '': top })));

test('files are ignored as git ignores them', () => {
  prepareRepository();
  expect(kept(new Map())).toEqual(keptByGit(new Map()));
  fc.assert(
    fc.property(texts, (all) => {
      expect(kept(all)).toEqual(keptByGit(all));
    }),
    { numRuns: 100 },
  );
});
