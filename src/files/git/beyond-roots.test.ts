import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { MAX_DIFF_BYTES } from '../limits.ts';
import { ALL, faultOf } from '../workspace.fixture.ts';
import { commit, createRepository } from './repository.fixture.ts';

describe('never beyond the roots', () => {
  test('of a repository around the root only the part within is shown', async () => {
    const bench = createRepository('mono');
    const { workspace, reader, base, write } = bench;
    write('mono/a.ts', 'outside\n');
    write('mono/new.ts', 'outside\n');
    write('mono/src/b.ts', 'inside\n');
    write('mono/src/new.ts', 'inside\n');
    const by = { ...reader, roots: [join(base, 'mono/src')] };
    const { files, diffs, notices } = await workspace.changes(ALL, by);
    expect(files.map(({ path }) => path)).toEqual(['src/b.ts', 'src/new.ts']);
    expect(JSON.stringify(diffs)).not.toContain('outside');
    expect(notices).toEqual([notice('changes_outside_roots', {})]);
    const fault = await faultOf(workspace.changes({ ...ALL, path: join(base, 'mono') }, by));
    expect(fault).toMatchObject({ class: 'permission', field: 'path' });
  });

  test('a root named like a pattern is a name and nothing else', async () => {
    const bench = createRepository('mono');
    bench.write('mono/*/x.ts', 'x\n');
    commit(bench, bench.repository);
    bench.write('mono/*/x.ts', 'inside\n');
    bench.write('mono/src/b.ts', 'outside\n');
    const by = { ...bench.reader, roots: [join(bench.base, 'mono/*')] };
    const { files } = await bench.workspace.changes(ALL, by);
    expect(files.map(({ path }) => path)).toEqual(['*/x.ts']);
  });

  test('private folders within it are left out', async () => {
    const bench = createRepository();
    bench.write('project/state/keys.txt', 'old\n');
    commit(bench, bench.root);
    bench.write('project/state/keys.txt', 'K\n');
    bench.write('project/state/new.txt', 'K\n');
    const workspace = bench.with({ privateDirs: [join(bench.root, 'state')] });
    const { files, diffs } = await workspace.changes(ALL, bench.reader);
    expect([files, diffs]).toEqual([[], []]);
  });

  test('a work tree elsewhere is none of the caller’s', async () => {
    const { workspace, reader, root, base, git } = createRepository();
    mkdirSync(join(base, 'other'));
    const faults = [];
    for (const path of ['other', 'other-that-is-not-there']) {
      git(root, 'config', 'core.worktree', join(base, path));
      faults.push(await faultOf(workspace.changes(ALL, reader)));
    }
    expect(faults[0]).toMatchObject({ class: 'permission', field: 'path' });
    expect(faults[0]?.message).not.toContain('other');
    expect(faults[1]?.message).toBe(faults[0]?.message);
  });

  test('data of another repository is not shown, by whatever way it is borrowed', async () => {
    const bench = createRepository('other');
    const { workspace, reader, base, root, git, write } = bench;
    const theirs = join(base, 'other/.git');
    const ways: Record<string, () => void> = {
      'a file': () => writeFileSync(join(root, '.git'), `gitdir: ${theirs}\n`),
      'a link': () => symlinkSync(theirs, join(root, '.git')),
      'a common folder': () => {
        git(root, 'init', '--quiet');
        write('project/.git/commondir', theirs);
      },
      objects: () => {
        git(root, 'init', '--quiet');
        rmSync(join(root, '.git/objects'), { recursive: true });
        symlinkSync(join(theirs, 'objects'), join(root, '.git/objects'));
        cpSync(join(theirs, 'index'), join(root, '.git/index'));
      },
      'some objects': () => {
        git(root, 'init', '--quiet');
        symlinkSync(join(theirs, 'objects'), join(root, '.git/objects/ab'));
      },
      'the index': () => {
        git(root, 'init', '--quiet');
        symlinkSync(join(theirs, 'index'), join(root, '.git/index'));
      },
      alternates: () => {
        git(root, 'init', '--quiet');
        write('project/.git/objects/info/alternates', `${join(theirs, 'objects')}\n`);
      },
      'alternates of alternates': () => {
        git(root, 'init', '--quiet');
        write('project/.git/objects/info/alternates', '../../lender\n');
        write('project/lender/info/alternates', `${join(theirs, 'objects')}\n`);
      },
      'very many alternates': () => {
        git(root, 'init', '--quiet');
        const lines = '# none\n'.repeat(20_000);
        write('project/.git/objects/info/alternates', `${lines}${join(theirs, 'objects')}\n`);
      },
    };
    for (const [way, borrow] of Object.entries(ways)) {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      borrow();
      const fault = await faultOf(workspace.changes(ALL, reader));
      expect([way, fault.class, fault.field]).toEqual([way, 'permission', 'path']);
      expect(fault.message).not.toContain('other');
      expect(fault.fix).toContain('allowedDirs');
    }
  });

  test('a work tree that its repository knows is as good as the repository', async () => {
    const bench = createRepository('main-tree');
    const { workspace, reader, root, base, git, write, with: settled } = bench;
    rmSync(root, { recursive: true });
    git(bench.repository, 'worktree', 'add', '--quiet', '-b', 'side', root);
    write('project/a.ts', 'changed\n');
    const { branch, files } = await workspace.changes(ALL, reader);
    expect(branch).toBe('side');
    expect(files).toEqual([{ path: 'a.ts', change: 'modified', where: 'unstaged' }]);
    // A pointer from another repository is refused.
    write('project/copy/.git', `gitdir: ${join(base, 'main-tree/.git/worktrees/project')}\n`);
    const fault = await faultOf(workspace.changes({ ...ALL, path: 'copy' }, reader));
    expect(fault).toMatchObject({ class: 'permission' });
    const open = settled({ allowedDirs: [bench.repository] });
    expect((await open.changes({ ...ALL, path: 'copy' }, reader)).branch).toBe('side');
  });

  test('links among new files are not followed, and nested repositories not entered', async () => {
    const { workspace, reader, root, git, write, link } = createRepository();
    link('project/leak.txt', write('outside.txt', 'S'));
    git(root, 'init', '--quiet', 'nested');
    write('project/nested/x.ts', 'x');
    const { files, diffs, notices } = await workspace.changes(ALL, reader);
    expect(files).toEqual([{ path: 'leak.txt', change: 'untracked', where: 'unstaged' }]);
    expect(diffs).toEqual([]);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'Left out of the changes: 1 links (leak.txt); 1 nested repositories (nested/).',
    ]);
  });
});

describe('what is withheld', () => {
  test('secrets are named and not shown, under no name', async () => {
    const bench = createRepository();
    const { workspace, reader, root, git, write } = bench;
    const key = Array.from({ length: 40 }, (_, line) => `s3cret ${line}\n`).join('');
    write('project/old.pem', key);
    commit(bench, root);
    git(root, 'mv', 'old.pem', 'notes.txt');
    write('project/.env', 's3cret\n');
    git(root, 'add', '.env');
    write('project/a.ts', 'fine\n');
    write('project/id_rsa', 's3cret\n');
    const { files, diffs, notices } = await workspace.changes(ALL, reader);
    expect(files.map(({ path, where }) => `${where} ${path}`)).toEqual([
      'staged .env',
      'staged notes.txt',
      'unstaged a.ts',
      'unstaged id_rsa',
    ]);
    expect(diffs.map(({ name }) => name)).toEqual(['[unstaged changes]']);
    expect(JSON.stringify(diffs)).not.toContain('s3cret');
    const secret = { reason: 'secret', count: 3, names: ['.env', 'notes.txt', 'id_rsa'] };
    expect(notices).toMatchObject([{ code: 'files_left_out', params: { groups: [secret] } }]);
  });

  test('a diff ends with a whole line at its limit, and the rest is counted', async () => {
    const { workspace, reader, write } = createRepository();
    write('project/a.ts', 'changed line\n'.repeat(500_000));
    const { diffs, notices } = await workspace.changes(ALL, reader);
    const text = diffs[0]?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(MAX_DIFF_BYTES);
    expect(text.length).toBeGreaterThan(MAX_DIFF_BYTES - 100);
    expect(text.endsWith('+changed line\n')).toBe(true);
    expect(notices.map(baseRenderer.notice)).toEqual([
      'The text of the unstaged changes has 7.0 MB; the last 2.0 MB of it were left out.',
    ]);
  });

  test('new files have the limits of folders', async () => {
    const { workspace, reader, write } = createRepository();
    write('project/large.txt', Buffer.alloc(2_000_001, 'x'));
    write('project/new.bin', new Uint8Array([0]));
    for (let index = 0; index < 502; index++) write(`project/many/${index}.txt`, 'x');
    const { files, diffs, notices } = await workspace.changes(ALL, reader);
    expect(files).toHaveLength(504);
    expect(diffs).toHaveLength(500);
    expect(notices).toEqual([
      notice('untracked_files_left_out', { count: 3, limitFiles: 500, limitBytes: 5000000 }),
      expect.objectContaining({ code: 'files_left_out' }),
    ]);
  });

  test('bytes that are no UTF-8 are shown as such', async () => {
    const bench = createRepository();
    bench.write('project/a.ts', new Uint8Array([0x61, 0xe4, 0x0a]));
    const { diffs, notices } = await bench.workspace.changes(ALL, bench.reader);
    expect(diffs[0]?.text).toContain('+a\uFFFD');
    expect(notices).toEqual([notice('diff_not_utf8', { changes: 'unstaged changes' })]);
  });
});
