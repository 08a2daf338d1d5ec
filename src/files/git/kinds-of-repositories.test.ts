import { chmodSync, chownSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL, createWorkspaceBench, faultOf, type WorkspaceBench } from '../workspace.fixture.ts';
import { createVictim, outcomeOf } from './hostile.fixture.ts';
import { commit, createRepository } from './repository.fixture.ts';

interface Kind {
  readonly name: string;
  readonly prepare: (bench: WorkspaceBench) => void;
  readonly compareTo?: string;
}

/** Common kinds of repositories: their only change is shown. */
const KINDS: readonly Kind[] = [
  { name: 'refs in one file', prepare: ({ git, root }) => git(root, 'pack-refs', '--all') },
  { name: 'objects in packs', prepare: ({ git, root }) => git(root, 'gc', '--quiet') },
  {
    name: 'a commit graph and an index of packs',
    prepare({ git, root }) {
      git(root, 'repack', '-adq');
      git(root, 'multi-pack-index', 'write');
      git(root, 'commit-graph', 'write', '--reachable', '--split');
    },
    compareTo: 'HEAD~1',
  },
  {
    name: 'an index in two files',
    prepare({ git, root }) {
      git(root, 'update-index', '--split-index');
      git(root, 'update-index', '--assume-unchanged', 'src/b.ts');
    },
  },
  {
    name: 'an index of version 4',
    prepare: ({ git, root }) => git(root, 'update-index', '--index-version=4'),
  },
  {
    name: 'a sparse checkout',
    prepare: ({ git, root }) => git(root, 'sparse-checkout', 'set', '--cone', 'other'),
  },
  {
    name: 'a sparse index',
    prepare: ({ git, root }) =>
      git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'other'),
  },
  {
    name: 'a commit in place of a branch',
    prepare: ({ git, root }) => git(root, 'checkout', '--quiet', '--detach'),
  },
  {
    name: 'a link in place of HEAD, as old versions made it',
    prepare(bench) {
      bench.remove(join(bench.root, '.git/HEAD'));
      bench.link('project/.git/HEAD', 'refs/heads/main');
    },
  },
  {
    name: 'a branch with a long name',
    prepare: ({ git, root }) => git(root, 'checkout', '--quiet', '-b', 'feature/über/x.y-z@1'),
  },
  {
    name: 'settings with quotes, comments and lines that go on',
    prepare: ({ write, read }) =>
      write(
        'project/.git/config',
        `${read('project/.git/config')}\n; x\n[Remote "a\\"b"] # x\n\turl = "a # b" ; c\n\tx = a \\\n  b\n[core] autocrlf=input\n[odd.Old]\nkey\n`,
      ),
  },
  {
    name: 'objects of another repository in the roots',
    prepare({ git, root, write }) {
      git(root, 'clone', '--quiet', '--bare', '.', '.git/lender');
      git(root, 'repack', '-adq');
      write('project/.git/objects/info/alternates', '../lender/objects\n');
      git(root, 'repack', '-adlq');
    },
  },
  {
    name: 'a tag',
    prepare: ({ git, root }) => git(root, 'tag', '-am', 'x', 'v1'),
    compareTo: 'v1',
  },
  {
    name: 'a branch that is followed',
    prepare(bench) {
      const { git, root } = bench;
      git(root, 'clone', '--quiet', '--bare', '.', '../origin.git');
      git(root, 'remote', 'add', 'origin', '../origin.git');
      git(root, 'fetch', '--quiet', 'origin');
      git(root, 'branch', '--quiet', '--set-upstream-to=origin/main');
    },
    compareTo: '@{upstream}',
  },
  {
    name: 'the branch before this one',
    prepare: ({ git, root }) => git(root, 'checkout', '--quiet', '-b', 'next'),
    compareTo: '@{-1}',
  },
  {
    name: 'where HEAD was',
    prepare: ({ git, root }) => git(root, 'commit', '--quiet', '--allow-empty', '--message=y'),
    compareTo: 'HEAD@{1}',
  },
  {
    name: 'what a command left behind',
    prepare: ({ git, root }) => git(root, 'reset', '--quiet', 'HEAD'),
    compareTo: 'ORIG_HEAD',
  },
  {
    name: 'the head of a remote',
    prepare({ git, root }) {
      git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
      git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    },
    compareTo: 'origin',
  },
];

test.each(KINDS)('shows the change: $name', async ({ prepare, compareTo }) => {
  const bench = createVictim();
  prepare(bench);
  const { said, changes } = await outcomeOf(bench, { compareTo });
  expect([changes?.files.map(({ path }) => path), said]).toEqual([['a.ts'], expect.any(String)]);
  expect(changes?.diffs[0]?.text).toContain('\n+changed\n');
});

describe('repositories of other kinds', () => {
  test.each(['sha1', 'sha256'])('made with %s', async (format) => {
    const bench = createWorkspaceBench();
    const { root, git, write, workspace, reader } = bench;
    git(root, 'init', '--quiet', `--object-format=${format}`, '--initial-branch=main');
    write('project/a.ts', 'one\n');
    commit(bench, root);
    write('project/a.ts', 'two\n');
    for (const compareTo of [undefined, 'main']) {
      const { files } = await workspace.changes({ ...ALL, compareTo }, reader);
      expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    }
  });

  test('a shallow clone', async () => {
    const bench = createRepository('origin');
    const { base, root, git, write, workspace, reader, repository } = bench;
    write('origin/a.ts', 'second\n');
    commit(bench, repository);
    bench.remove(root);
    git(base, 'clone', '--quiet', '--depth=1', `file://${repository}`, 'project');
    write('project/a.ts', 'changed\n');
    const { files } = await workspace.changes({ ...ALL, compareTo: 'origin/main' }, reader);
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    const fault = await faultOf(workspace.changes({ ...ALL, compareTo: 'HEAD~1' }, reader));
    expect(fault).toMatchObject({ class: 'validation', field: 'compare_to' });
  });

  test('a partial clone without the objects it would fetch', async () => {
    const bench = createRepository('origin');
    const { base, root, git, write, workspace, reader, repository } = bench;
    write('origin/a.ts', 'second\n');
    commit(bench, repository);
    git(repository, 'config', 'uploadpack.allowFilter', 'true');
    bench.remove(root);
    git(base, 'clone', '--quiet', '--filter=blob:none', `file://${repository}`, 'project');
    write('project/a.ts', 'changed\n');
    expect((await workspace.changes(ALL, reader)).files).toHaveLength(1);
    const fault = await faultOf(workspace.changes({ ...ALL, compareTo: 'HEAD~1' }, reader));
    expect(fault).toMatchObject({ class: 'tool_error' });
    expect(fault.message).toMatch(/are not in the repository \(a partial clone has only some\)/);
  });

  test('a submodule, seen from around it and from within', async () => {
    const bench = createRepository('inner');
    const { root, git, write, workspace, reader, repository } = bench;
    git(root, 'init', '--quiet', '--initial-branch=main');
    const add = ['submodule', '--quiet', 'add', repository, 'sub'];
    git(root, '-c', 'protocol.file.allow=always', ...add);
    commit(bench, root);
    write('project/sub/a.ts', 'in the submodule\n');
    expect((await workspace.changes(ALL, reader)).files).toEqual([]);
    const inside = await workspace.changes({ ...ALL, path: 'sub' }, reader);
    expect(inside).toMatchObject({ root: join(root, 'sub'), branch: 'main' });
    expect(inside.files.map(({ path }) => path)).toEqual(['a.ts']);
    commit(bench, join(root, 'sub'));
    const { files, diffs } = await workspace.changes(ALL, reader);
    expect(files).toEqual([{ path: 'sub', change: 'modified', where: 'unstaged' }]);
    expect(diffs[0]?.text).toMatch(/-Subproject commit .*\n\+Subproject commit /);
    // Without its main repository its data is outside the readable roots.
    const alone = { ...reader, roots: [join(root, 'sub')] };
    expect(await faultOf(workspace.changes(ALL, alone))).toMatchObject({ class: 'permission' });
  });

  test('a rebase that stopped in the middle', async () => {
    const bench = createRepository();
    const { root, git, write, workspace, reader } = bench;
    git(root, 'checkout', '--quiet', '-b', 'side');
    write('project/a.ts', 'side\n');
    commit(bench, root);
    git(root, 'checkout', '--quiet', 'main');
    write('project/a.ts', 'main\n');
    commit(bench, root);
    expect(() => git(root, 'rebase', '--quiet', 'main', 'side')).toThrow('Command failed');
    const { branch, files } = await workspace.changes(ALL, reader);
    expect(branch).toBeUndefined();
    expect(files.map(({ path }) => path)).toContain('a.ts');
  });

  test.each([
    ['[core]\n\trepositoryFormatVersion = 2\n', /newer than version 1/],
    ['[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n', /reftable/],
    ['[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tnoSuch = true\n', /extension/],
  ])('%j is refused with words', async (config, words) => {
    const bench = createVictim();
    bench.write('project/.git/config', config);
    const fault = await faultOf(bench.workspace.changes(ALL, bench.reader));
    expect(fault).toMatchObject({ class: 'validation', field: 'path' });
    expect(fault.message).toMatch(words);
  });
});

describe('what still counts of settings', () => {
  test('the user’s own list of what is ignored everywhere', async () => {
    const bench = createVictim();
    const { git, root, home, write, workspace, reader } = bench;
    write('home/ignore', '*.swp\n');
    git(root, 'config', '--global', 'core.excludesFile', join(home, 'ignore'));
    write('project/.git/info/exclude', '*.tmp\n');
    for (const name of ['a.swp', 'a.tmp', 'a.new']) write(`project/${name}`, 'x\n');
    const { files } = await workspace.changes({ ...ALL, staged: false }, reader);
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'a.new']);
  });

  test('how files on this disk compare: their line ends and whether they can be run', async () => {
    const bench = createVictim();
    const { git, root, write, workspace, reader } = bench;
    git(root, 'config', 'core.autocrlf', 'true');
    write('project/a.ts', 'one\r\nchanged\r\nthree\r\n');
    const { diffs } = await workspace.changes(ALL, reader);
    expect(diffs[0]?.text).toContain('\n-second\n+changed\n three\n');
    chmodSync(join(root, 'src/b.ts'), 0o755);
    expect((await workspace.changes(ALL, reader)).files).toHaveLength(2);
    git(root, 'config', 'core.fileMode', 'false');
    expect((await workspace.changes(ALL, reader)).files).toHaveLength(1);
  });

  test('a change within the moment in which the index was written is seen', async () => {
    const bench = createRepository();
    const { root, git, write, workspace, reader } = bench;
    const moment = 1_700_000_000;
    // Then git decides by size and time alone, and neither differs.
    git(root, 'config', 'core.checkStat', 'minimal');
    git(root, 'config', 'core.trustctime', 'false');
    utimesSync(join(root, 'a.ts'), moment, moment);
    git(root, 'add', 'a.ts');
    write('project/a.ts', 'one\nTWO\nthree\n');
    utimesSync(join(root, 'a.ts'), moment, moment);
    expect((await workspace.changes(ALL, reader)).files).toEqual([]);
    utimesSync(join(root, '.git/index'), moment, moment);
    const { files } = await workspace.changes(ALL, reader);
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
  });

  test.runIf(process.getuid?.() === 0)('repositories of others that the user trusts', async () => {
    const bench = createVictim();
    const { git, root, home } = bench;
    chownSync(join(root, '.git'), 12_345, 12_345);
    for (const [value, isTrusted] of [
      ['/elsewhere', false],
      [root, true],
      ['', false],
      ['*', true],
    ] as const) {
      git(home, 'config', '--global', '--add', 'safe.directory', value);
      const { is } = await outcomeOf(bench);
      expect([value, is]).toEqual([value, isTrusted ? 'shown' : 'permission']);
    }
  });
});
