import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram, searchFolders } from './find-program.ts';
import { tempFolder, writeScript } from './processes.fixture.ts';

test('a program is found by its preferred name, in the order of the folders', async () => {
  const [first, second] = [tempFolder(), tempFolder()];
  const folders = [first, second];
  const late = writeScript(second, 'late');
  expect(await findProgram({ names: ['preferred', 'late'], folders })).toBe(late);
  const preferred = writeScript(second, 'preferred');
  expect(await findProgram({ names: ['preferred', 'late'], folders })).toBe(preferred);
  const earlier = writeScript(first, 'preferred');
  expect(await findProgram({ names: ['preferred', 'late'], folders })).toBe(earlier);
});

test('folders and files that are not executable are not programs', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'tool'));
  writeFileSync(join(folder, 'other'), '#!/bin/sh\n', { mode: 0o644 });
  expect(await findProgram({ names: ['tool', 'other'], folders: [folder] })).toBe(undefined);
});

test('relative and empty entries of PATH are not searched', () => {
  const path = ['', '.', 'bin', '/usr/bin', relative(process.cwd(), '/bin'), '/usr/bin', '/bin'];
  expect(searchFolders(path.join(delimiter))).toEqual(['/usr/bin', '/bin']);
  expect(searchFolders('')).toEqual([]);
});

test('a setting is used before PATH', async () => {
  const folder = tempFolder();
  writeScript(folder, 'tool');
  const set = writeScript(tempFolder(), 'tool-7');
  const found = await findProgram({
    names: ['tool'],
    folders: [folder],
    setting: { name: 'tools.path', path: set },
  });
  expect(found).toBe(set);
});

test.each([['bin/tool'], ['tool'], [''], ['/nonexistent/tool'], ['/']])(
  'the setting %j is refused with its name',
  async (path) => {
    const folder = tempFolder();
    writeScript(folder, 'tool');
    const setting = { name: 'tools.path', path };
    await expect(
      findProgram({ names: ['tool'], folders: [folder], setting }),
    ).rejects.toMatchObject({ class: 'not_configured', field: 'tools.path' });
  },
);
