import { expect, test } from 'vitest';
import { createWorkspaceBench } from './workspace.fixture.ts';

test('each folder has its own .gitignore, which counts before those above', async () => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/.gitignore', '*.txt\n/made/**/*.js\n[Bb]in/\n');
  write('project/docs/.gitignore', '!*.txt\n/draft?.md\n');
  write('project/docs/deep/.gitignore', 'last.txt\n');
  for (const path of [
    'a.txt',
    'bin/a.js',
    'docs/a.txt',
    'docs/draft1.md',
    'docs/deep/draft1.md',
    'docs/deep/last.txt',
    'made/x/y/a.js',
    'made/x/y/a.ts',
  ]) {
    write(`project/${path}`, path);
  }
  const { texts } = await workspace.read(['.'], 'files', reader);
  expect(texts.map(({ name }) => name)).toEqual([
    'docs/a.txt',
    'docs/deep/draft1.md',
    'made/x/y/a.ts',
  ]);
});

test('names under rules that would take too many steps are left out', async () => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/.gitignore', `a/${'**/b/'.repeat(20)}c\n`);
  write('project/a.ts', 'A');
  write(`project/a/${'b/'.repeat(10)}b.ts`, 'B');
  const { texts, notices } = await workspace.read(['.'], 'files', reader);
  expect(texts.map(({ name }) => name)).toEqual(['a.ts']);
  expect(notices).toMatchObject([
    {
      code: 'files_left_out',
      params: { groups: [{ reason: 'hidden' }, { reason: 'costly', count: 1 }] },
    },
  ]);
});

test('the rules of folders above the one that was named count, too', async () => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/.gitignore', 'customers.csv\n/src/generated/\n');
  write('project/src/.gitignore', '*.log\n');
  write('project/src/app/a.ts', 'A');
  write('project/src/app/a.log', 'L');
  write('project/src/app/customers.csv', 'C');
  write('project/src/generated/b.ts', 'B');
  const read = async (folder: string) => {
    const { texts } = await workspace.read([folder], 'files', reader);
    return texts.map(({ name }) => name);
  };
  expect(await read('src')).toEqual(['src/app/a.ts']);
  expect(await read('src/app')).toEqual(['src/app/a.ts']);
  expect(await read('src/generated')).toEqual([]);
});

test("a repository's own list of ignored files counts, and those of other repositories do not", async () => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/.gitignore', '*.ts\n');
  write('project/inner/.git/info/exclude', 'private.txt\n');
  write('project/inner/a.ts', 'A');
  write('project/inner/private.txt', 'P');
  const { texts } = await workspace.read(['inner'], 'files', reader);
  expect(texts.map(({ name }) => name)).toEqual(['inner/a.ts']);
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([0x23, 0xff, 0x0a, ...Buffer.from('private.txt\n')])],
  ['a NUL', '# \0\nprivate.txt\n'],
  ['many lines', `${'# \n'.repeat(3_000)}private.txt\n`],
  ['a long line', `${'a'.repeat(2_000)}\nprivate.txt\n`],
])('rules hold in a .gitignore with %s', async (_, rules) => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/.gitignore', rules);
  write('project/private.txt', 'P');
  write('project/a.txt', 'A');
  const { texts } = await workspace.read(['.'], 'files', reader);
  expect(texts.map(({ name }) => name)).toEqual(['a.txt']);
});

test.each([
  ['too many rules', 'x\n'.repeat(5_000)],
  ['too many bytes', `${'x'.repeat(1_000)}\n`.repeat(300)],
  ['a line that is too long', 'x'.repeat(5_000)],
])('a folder whose .gitignore has %s is left out and named', async (_, rules) => {
  const { workspace, reader, write } = createWorkspaceBench();
  write('project/a.ts', 'A');
  write('project/deep/.gitignore', rules);
  write('project/deep/b.ts', 'B');
  const { texts, notices } = await workspace.read(['.'], 'files', reader);
  expect(texts.map(({ name }) => name)).toEqual(['a.ts']);
  expect(notices).toMatchObject([
    { params: { groups: [{ reason: 'costly', count: 1, names: ['deep'] }] } },
  ]);
});
