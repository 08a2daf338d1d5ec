import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { ALL, createWorkspaceBench, type WorkspaceBench } from '../workspace.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

// Starts programs and writes megabytes, which takes time on a busy machine.

/** A program that leaves a mark when run, and tries to behave like the program it replaces. */
function trap(bench: WorkspaceBench, name: string, then: 'cat' | 'exit' = 'cat'): string {
  const mark = join(bench.base, `sprung-${name}`);
  const path = bench.write(`traps/${name}`, `#!/bin/sh\ntouch ${mark}\n${then}\n`);
  chmodSync(path, 0o755);
  return path;
}

function isSprung(bench: WorkspaceBench, name: string): boolean {
  return bench.has(`sprung-${name}`);
}

/** A repository whose changed files have all attributes that run programs. */
function createTrapped(): WorkspaceBench {
  const bench = createWorkspaceBench();
  const { root, git, write } = bench;
  git(root, 'init', '--quiet', '--initial-branch=main');
  write('project/.gitattributes', '* filter=evil diff=evil\n');
  write('project/a.ts', 'one\n');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=x');
  write('project/a.ts', 'two\n');
  return bench;
}

/**
 * How a setting that git honours makes it run a program; and whether plain `git diff` does, which
 * proves that the trap works.
 */
const SETTINGS: readonly (readonly [string, string, 'springs' | 'other'])[] = [
  ['filter.evil.clean', 'TRAP', 'springs'],
  ['filter.evil.process', 'TRAP', 'springs'],
  ['diff.evil.textconv', 'TRAP', 'springs'],
  ['diff.evil.command', 'TRAP', 'springs'],
  ['diff.external', 'TRAP', 'springs'],
  ['core.fsmonitor', 'TRAP', 'springs'],
  ['core.pager', 'TRAP', 'other'],
  ['pager.diff', 'TRAP', 'other'],
  ['alias.diff', '!TRAP', 'other'],
  ['core.sshCommand', 'TRAP', 'other'],
  ['credential.helper', '!TRAP', 'other'],
];

test.each(SETTINGS)('%s of a repository runs nothing', async (key, value, plain) => {
  const bench = createTrapped();
  const { root, git, workspace, reader } = bench;
  git(root, 'config', key, value.replace('TRAP', trap(bench, 'own')));
  if (key.startsWith('filter.')) git(root, 'config', 'filter.evil.required', 'true');
  for (const compareTo of [undefined, 'HEAD']) {
    const { files, diffs } = await workspace.changes({ ...ALL, compareTo }, reader);
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    expect(diffs[0]?.text).toContain('-one\n+two\n');
  }
  expect(isSprung(bench, 'own')).toBe(false);
  if (plain === 'other') return;
  try {
    git(root, 'diff');
  } catch {
    // Git may reject the trap's output.
  }
  expect(isSprung(bench, 'own')).toBe(true);
});

test('the user’s own filters and those with strange names are not run either, with a notice', async () => {
  const bench = createTrapped();
  const { root, git, write, workspace, reader } = bench;
  write(
    'project/more.config',
    `[filter "a=b.c"]\n\tclean = ${trap(bench, 'named')}\n\trequired\n[filter]\n\tclean = x\n`,
  );
  write('project/b.md', 'b\n');
  git(root, 'add', '--intent-to-add', 'b.md');
  write('project/.gitattributes', '* filter=evil\n*.md filter=a=b.c\n');
  git(root, 'config', 'include.path', '../more.config');
  git(root, 'config', '--global', 'filter.evil.clean', trap(bench, 'global'));
  const { notices } = await workspace.changes(ALL, reader);
  expect(notices).toEqual([notice('filters_not_run', { count: 3, file: '.gitattributes' })]);
  expect([isSprung(bench, 'global'), isSprung(bench, 'named')]).toEqual([false, false]);
  git(root, 'diff');
  expect([isSprung(bench, 'global'), isSprung(bench, 'named')]).toEqual([true, true]);
});

verifies('files:git', 'hooks are not run', async () => {
  const bench = createTrapped();
  const { root, git, workspace, reader } = bench;
  const hooks = join(bench.base, 'traps');
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
    trap(bench, hook);
  }
  git(root, 'config', 'core.hooksPath', hooks);
  await workspace.changes(ALL, reader);
  expect(isSprung(bench, 'post-index-change')).toBe(false);
  git(root, 'add', 'a.ts');
  expect(isSprung(bench, 'post-index-change')).toBe(true);
});

test('objects that a repository lacks are not fetched', async () => {
  const bench = createTrapped();
  const { root, git, workspace, reader } = bench;
  const blob = git(root, 'rev-parse', 'HEAD:a.ts').trim();
  const path = join(root, '.git/objects', blob.slice(0, 2), blob.slice(2));
  chmodSync(join(root, '.git/objects', blob.slice(0, 2)), 0o755);
  git(root, 'config', 'core.repositoryFormatVersion', '1');
  git(root, 'config', 'extensions.partialClone', 'origin');
  git(root, 'config', 'remote.origin.promisor', 'true');
  git(root, 'config', 'remote.origin.url', `ext::${trap(bench, 'fetch', 'exit')}`);
  git(root, 'config', 'protocol.ext.allow', 'always');
  bench.remove(path);
  await expect(workspace.changes(ALL, reader)).rejects.toMatchObject({ class: 'tool_error' });
  expect(isSprung(bench, 'fetch')).toBe(false);
  expect(() => git(root, 'diff')).toThrow('Command failed');
  expect(isSprung(bench, 'fetch')).toBe(true);
});

test('submodules are not entered, whose settings are their own', async () => {
  const bench = createTrapped();
  const { root, git, write, workspace, reader } = bench;
  const inner = join(root, 'inner');
  mkdirSync(inner);
  git(inner, 'init', '--quiet', '--initial-branch=main');
  write('project/inner/.gitattributes', '* filter=inner\n');
  write('project/inner/x.ts', 'one\n');
  git(inner, 'add', '--all');
  git(inner, 'commit', '--quiet', '--message=x');
  git(root, 'add', 'inner');
  git(root, 'commit', '--quiet', '--message=inner');
  write('project/inner/x.ts', 'two\n');
  git(inner, 'config', 'filter.inner.clean', trap(bench, 'inner'));
  const { files } = await workspace.changes(ALL, reader);
  expect(files.map(({ path }) => path)).toEqual(['a.ts']);
  expect(isSprung(bench, 'inner')).toBe(false);
  git(root, 'diff');
  expect(isSprung(bench, 'inner')).toBe(true);
});

test('settings do not change how a diff looks', async () => {
  const bench = createTrapped();
  const { root, git, write, workspace, reader } = bench;
  const before = await workspace.changes(ALL, reader);
  for (const [key, value] of [
    ['color.ui', 'always'],
    ['diff.noprefix', 'true'],
    ['diff.mnemonicPrefix', 'true'],
    ['diff.context', '0'],
    ['diff.relative', 'true'],
    ['diff.renames', 'false'],
    ['diff.orderFile', '/no/such/file'],
    ['diff.autoRefreshIndex', 'true'],
    ['core.quotePath', 'true'],
  ] as const) {
    git(root, 'config', key, value);
  }
  write('home/.gitconfig', '[color]\n\tdiff = always\n');
  expect(await workspace.changes(ALL, reader)).toEqual(before);
});

const OF_THE_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_'];

test('no variable of ours but PATH and HOME reaches git', async () => {
  const bench = createTrapped();
  const seen = join(bench.base, 'seen');
  const real = bench.git(bench.root, '--exec-path').trim();
  const script = `#!/bin/sh\nenv > ${seen}\nexec ${real}/git "$@"\n`;
  chmodSync(bench.write('bin/git', script), 0o755);
  const workspace = bench.with({
    environment: {
      PATH: `${join(bench.base, 'bin')}:.:relative:${process.env['PATH']}`,
      HOME: bench.home,
      GIT_DIR: '/nowhere',
      GIT_EXTERNAL_DIFF: 'x',
      KIMI_API_KEY: 's3cret',
      LD_PRELOAD: 'x',
    },
  });
  await workspace.changes(ALL, bench.reader);
  const names = bench
    .read('seen')
    .split('\n')
    .flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? [])
    .filter((name) => !name.startsWith('GIT_CONFIG_') && !OF_THE_SHELL.includes(name));
  expect(names.toSorted()).toEqual([
    'GIT_ALLOW_PROTOCOL',
    'GIT_ATTR_NOSYSTEM',
    'GIT_DIR',
    'GIT_NO_LAZY_FETCH',
    'GIT_NO_REPLACE_OBJECTS',
    'GIT_OBJECT_DIRECTORY',
    'GIT_OPTIONAL_LOCKS',
    'GIT_PAGER',
    'GIT_TERMINAL_PROMPT',
    'GIT_WORK_TREE',
    'HOME',
    'LC_ALL',
    'PATH',
  ]);
  expect(bench.read('seen')).not.toMatch(/s3cret|relative/);
});
