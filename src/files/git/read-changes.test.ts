import { chmodSync, chownSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { ALL, createWorkspaceBench, faultOf, type WorkspaceBench } from '../workspace.fixture.ts';
import { commit, createRepository } from './repository.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

describe('changes of a repository', () => {
  test('nothing has changed', async () => {
    const { workspace, reader, root } = createRepository();
    expect(await workspace.changes(ALL, reader)).toEqual({
      root,
      branch: 'main',
      files: [],
      diffs: [],
      notices: [],
    });
  });

  verifies('workflow:precommit', 'staged, unstaged and new files are distinguished', async () => {
    const { workspace, reader, root, git, write } = createRepository();
    write('project/a.ts', 'one\n2\nthree\n');
    git(root, 'add', 'a.ts');
    write('project/a.ts', 'one\n2\n3\n');
    write('project/ä ö.ts', 'new\n');
    git(root, 'mv', 'src/b.ts', 'src/c.ts');
    const changes = await workspace.changes(ALL, reader);
    expect(changes.files).toEqual([
      { path: 'a.ts', change: 'modified', where: 'staged' },
      { path: 'src/c.ts', change: 'renamed', where: 'staged' },
      { path: 'a.ts', change: 'modified', where: 'unstaged' },
      { path: 'ä ö.ts', change: 'untracked', where: 'unstaged' },
    ]);
    expect(changes.diffs.map(({ name }) => name)).toEqual([
      '[staged changes]',
      '[unstaged changes]',
      'ä ö.ts',
    ]);
    const [staged, unstaged, added] = changes.diffs.map(({ text }) => text);
    expect(staged).toMatch(
      /^diff --git a\/a\.ts b\/a\.ts\n.*\n-two\n\+2\n three\n.*rename to src\/c\.ts\n$/s,
    );
    expect(unstaged).toMatch(/^diff --git a\/a\.ts b\/a\.ts\n.*\n-three\n\+3\n$/s);
    expect(added).toBe('new\n');
    expect(changes.notices).toEqual([]);

    const onlyStaged = await workspace.changes({ ...ALL, unstaged: false }, reader);
    expect(onlyStaged.files.map(({ where }) => where)).toEqual(['staged', 'staged']);
    const onlyUnstaged = await workspace.changes({ ...ALL, staged: false, path: 'src' }, reader);
    expect(onlyUnstaged.files.map(({ where }) => where)).toEqual(['unstaged', 'unstaged']);
  });

  test('added, deleted, of another kind, and binary', async () => {
    const { workspace, reader, root, git, write } = createRepository();
    write('project/new.bin', new Uint8Array([1, 0, 2]));
    rmSync(join(root, 'a.ts'));
    rmSync(join(root, 'src/b.ts'));
    symlinkSync('../a.ts', join(root, 'src/b.ts'));
    git(root, 'add', '--all');
    const { files, diffs } = await workspace.changes(ALL, reader);
    expect(files.map(({ path, change }) => [path, change])).toEqual([
      ['a.ts', 'deleted'],
      ['new.bin', 'added'],
      ['src/b.ts', 'other'],
    ]);
    expect(diffs).toHaveLength(1);
    expect(diffs[0]?.text).toContain('Binary files /dev/null and b/new.bin differ');
  });

  test('a repository without a commit has all of it staged or new', async () => {
    const { workspace, reader, root, git, write } = createWorkspaceBench();
    git(root, 'init', '--quiet', '--initial-branch=first');
    expect((await workspace.changes(ALL, reader)).files).toEqual([]);
    write('project/a.ts', 'A\n');
    git(root, 'add', 'a.ts');
    write('project/b.ts', 'B\n');
    const { branch, files } = await workspace.changes(ALL, reader);
    expect(branch).toBe('first');
    expect(files.map(({ path, change }) => [path, change])).toEqual([
      ['a.ts', 'added'],
      ['b.ts', 'untracked'],
    ]);
    const fault = await faultOf(workspace.changes({ ...ALL, compareTo: 'HEAD' }, reader));
    expect(fault).toMatchObject({ class: 'validation', field: 'compare_to' });
  });

  test('a commit in place of a branch has no name', async () => {
    const { workspace, reader, root, git } = createRepository();
    git(root, 'checkout', '--quiet', '--detach');
    expect((await workspace.changes(ALL, reader)).branch).toBeUndefined();
  });

  test('a file that was only touched has not changed, and the index is not written', async () => {
    const { workspace, reader, root, write } = createRepository();
    const index = join(root, '.git/index');
    const before = statSync(index);
    utimesSync(join(root, 'a.ts'), 1, 1);
    expect((await workspace.changes(ALL, reader)).files).toEqual([]);
    write('project/src/b.ts', 'B\n');
    const { files, diffs } = await workspace.changes(ALL, reader);
    expect(files).toEqual([{ path: 'src/b.ts', change: 'modified', where: 'unstaged' }]);
    expect(diffs[0]?.text).not.toContain('a.ts');
    expect(statSync(index)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  test('what is staged while a merge is open is shown', async () => {
    const bench = createRepository();
    const { workspace, reader, root, git, write } = bench;
    git(root, 'checkout', '--quiet', '-b', 'side');
    write('project/a.ts', 'side\n');
    commit(bench, root);
    git(root, 'checkout', '--quiet', 'main');
    write('project/a.ts', 'main\n');
    commit(bench, root);
    expect(() => git(root, 'merge', '--quiet', 'side')).toThrow('Command failed');
    const { files } = await workspace.changes(ALL, reader);
    expect(files.map(({ change }) => change)).toContain('other');
  });
});

describe('compared with a commit', () => {
  test('shows all of the work since the branch was left, committed or not', async () => {
    const bench = createRepository();
    const { workspace, reader, root, git, write } = bench;
    git(root, 'checkout', '--quiet', '-b', 'work');
    write('project/a.ts', 'committed\n');
    commit(bench, root);
    git(root, 'checkout', '--quiet', 'main');
    write('project/of-main.ts', 'x\n');
    commit(bench, root);
    git(root, 'checkout', '--quiet', 'work');
    write('project/src/b.ts', 'unstaged\n');
    write('project/new.ts', 'new\n');
    const changes = await workspace.changes({ ...ALL, compareTo: 'main' }, reader);
    expect(changes.files).toEqual([
      { path: 'a.ts', change: 'modified', where: 'compared' },
      { path: 'src/b.ts', change: 'modified', where: 'compared' },
      { path: 'new.ts', change: 'untracked', where: 'compared' },
    ]);
    expect(changes.diffs.map(({ name }) => name)).toEqual(['[changes since main]', 'new.ts']);
    expect(changes.notices).toEqual([
      notice('changes_since_merge_base', {
        name: '"main"',
        commit: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      }),
    ]);
    const again = await workspace.changes({ ...ALL, compareTo: 'HEAD' }, reader);
    expect(again.files.map(({ path }) => path)).toEqual(['src/b.ts', 'new.ts']);
    expect(again.notices).toEqual([]);
  });

  test.each([
    '--output=/tmp/x',
    '-h',
    '',
    ' ',
    'a\nb',
    'a\0b',
    'no-such',
    'main..main',
    'main:a.ts',
    'HEAD^{tree}',
    '$(id)',
    'x'.repeat(300),
  ])('%j is no commit', async (compareTo) => {
    const { workspace, reader } = createRepository();
    const fault = await faultOf(workspace.changes({ ...ALL, compareTo }, reader));
    expect(fault).toMatchObject({ class: 'validation', field: 'compare_to' });
  });

  test('the error for a mistyped branch suggests the nearest', async () => {
    const { workspace, reader, root, git } = createRepository();
    git(root, 'branch', 'release');
    const fault = await faultOf(workspace.changes({ ...ALL, compareTo: 'relaese' }, reader));
    expect(fault.message).toBe(
      '"compare_to": the repository has no commit "relaese", did you mean "release"?',
    );
  });
});

describe('where git cannot help', () => {
  test('without git the error says what to install', async () => {
    const bench = createRepository();
    for (const PATH of [undefined, '', '.', join(bench.base, 'no-such'), bench.root]) {
      const workspace = bench.with({ environment: { PATH, HOME: bench.home } });
      expect(await faultOf(workspace.changes(ALL, bench.reader))).toMatchObject({
        class: 'not_configured',
        fix: 'Install git, and restart the daemon.',
      });
    }
  });

  test('a git of the project is not run', async () => {
    const bench = createRepository();
    const planted = bench.write('project/node_modules/.bin/git', '#!/bin/sh\ntouch ../sprung\n');
    chmodSync(planted, 0o755);
    const PATH = `${join(bench.root, 'node_modules/.bin')}:${process.env['PATH']}`;
    const workspace = bench.with({ environment: { PATH, HOME: bench.home } });
    expect((await workspace.changes(ALL, bench.reader)).branch).toBe('main');
    expect(bench.has('sprung')).toBe(false);
  });

  test('an old git is refused, because it could not be isolated from settings', async () => {
    const bench = createRepository();
    chmodSync(bench.write('bin/git', '#!/bin/sh\necho git version 2.30.9\n'), 0o755);
    const workspace = bench.with({ environment: { PATH: join(bench.base, 'bin') } });
    const fault = await faultOf(workspace.changes(ALL, bench.reader));
    expect(fault).toMatchObject({ class: 'not_configured' });
    expect(fault.message).toMatch(/older than 2\.32/);
  });

  test('no repository, a git directory, and a bare repository have their own errors', async () => {
    const bench = createWorkspaceBench();
    const fault = await faultOf(bench.workspace.changes(ALL, bench.reader));
    expect(fault).toMatchObject({ class: 'validation', field: 'path' });
    expect(fault.fix).toMatch(/git init/);
    bench.git(bench.root, 'init', '--quiet', 'repo');
    bench.git(bench.root, 'init', '--quiet', '--bare', 'bare');
    for (const path of ['repo/.git', 'bare']) {
      const inside = await faultOf(bench.workspace.changes({ ...ALL, path }, bench.reader));
      expect(inside).toMatchObject({ class: 'validation', field: 'path' });
    }
  });

  test('the error for a damaged repository does not quote git', async () => {
    const { workspace, reader, write } = createRepository();
    write('project/.git/index', 'garbage');
    const fault = await faultOf(workspace.changes(ALL, reader));
    expect(fault).toMatchObject({ class: 'tool_error' });
    expect(fault.message).toBe(
      'git ls-files ended with 128: the index of the repository is damaged.',
    );
  });

  test('what git says of settings is not repeated', async () => {
    const { workspace, reader, write } = createRepository();
    write('project/.git/config', '[core]\n\tbare = s3cret\n');
    const fault = await faultOf(workspace.changes(ALL, reader));
    expect(fault).toMatchObject({ class: 'tool_error' });
    expect(fault.message).not.toContain('s3cret');
  });

  test.runIf(process.getuid?.() === 0)(
    'a repository of another user is refused with the way to trust it',
    async () => {
      const { workspace, reader, root } = createRepository();
      chownSync(root, 12_345, 12_345);
      chownSync(join(root, '.git'), 12_345, 12_345);
      const fault = await faultOf(workspace.changes(ALL, reader));
      expect(fault).toMatchObject({ class: 'permission', field: 'path' });
      expect(fault.fix).toContain(`git config --global --add safe.directory '${root}'`);
    },
  );
});

describe('time limits', () => {
  /** Never ends by itself. */
  function slowGit(bench: WorkspaceBench): string {
    const script = `#!/bin/sh\ncase "$1" in --version) echo git version 2.39.0;; *) echo $$ > ${bench.base}/pid; exec sleep 600;; esac\n`;
    chmodSync(bench.write('bin/git', script), 0o755);
    return `${join(bench.base, 'bin')}:${process.env['PATH']}`;
  }

  async function pidOf(bench: WorkspaceBench): Promise<number> {
    await expect.poll(() => bench.has('pid') && bench.read('pid').trim() !== '').toBe(true);
    return Number(bench.read('pid'));
  }

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      // No such process.
      return false;
    }
  }

  test.each(['cancelled', 'deadline', 'its own time'])('git is ended: %s', async (how) => {
    const bench = createRepository();
    const workspace = bench.with({ environment: { PATH: slowGit(bench) } });
    const caller = new AbortController();
    const deadline = { at: bench.clock.monotonic() + (how === 'deadline' ? 50_000 : 500_000) };
    const work = faultOf(
      workspace.changes(ALL, { ...bench.reader, deadline, signal: caller.signal }),
    );
    const pid = await pidOf(bench);
    expect(isAlive(pid)).toBe(true);
    if (how === 'cancelled') caller.abort(new CallError('cancelled', 'The caller left.'));
    else bench.clock.advance(how === 'deadline' ? 50_000 : 60_000);
    expect(await work).toMatchObject({ class: how === 'cancelled' ? 'cancelled' : 'timeout' });
    await expect.poll(() => isAlive(pid)).toBe(false);
    // Another git that ran beside it may still be ending.
    await expect.poll(() => bench.clock.waiting).toBe(0);
  });
});
