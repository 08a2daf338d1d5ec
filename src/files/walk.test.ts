import { expect, test } from 'vitest';
import { createDesk } from './workspace.fixture.ts';

test('each folder has its own .gitignore, which counts before those above', async () => {
  const { workspace, reader, write } = createDesk();
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
  const { workspace, reader, write } = createDesk();
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
