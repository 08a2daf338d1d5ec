import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createWorkspaceBench } from './workspace.fixture.ts';
import { mapDrivePath, parseDriveMappings } from './drive-mappings.ts';

test.each([
  ['C:/app', [{ drive: 'c', folder: '/app' }]],
  [
    'C:=/mnt/c, d:=/data/',
    [
      { drive: 'c', folder: '/mnt/c' },
      { drive: 'd', folder: '/data' },
    ],
  ],
  ['', []],
  ['C', undefined],
  ['CC:/x', undefined],
  ['C:=data', undefined],
])('%j is read', (text, expected) => {
  expect(parseDriveMappings(text)).toEqual(expected);
});

const MAPPINGS = parseDriveMappings('C:=/data/c') ?? [];

test.each([
  ['C:\\Users\\me\\a.txt', '/data/c/Users/me/a.txt'],
  ['c:/Users/me/a.txt', '/data/c/Users/me/a.txt'],
  ['/mnt/c/Users/a.txt', '/data/c/Users/a.txt'],
  ['\\\\wsl$\\Ubuntu\\home\\me\\a.txt', '/home/me/a.txt'],
  ['\\\\wsl.localhost\\Ubuntu\\mnt\\c\\a.txt', '/data/c/a.txt'],
  ['D:\\a.txt', undefined],
  ['/home/me/a.txt', undefined],
  ['\\\\server\\share\\a.txt', undefined],
])('%j is mapped', (path, expected) => {
  expect(mapDrivePath(path, MAPPINGS)).toBe(expected);
});

verifies(
  'files:drives',
  'a path of Windows is read from the folder of its drive, and checked like any other',
  async () => {
    const bench = createWorkspaceBench();
    bench.write('project/src/a.txt', 'one');
    bench.write('other/b.txt', 'two');
    const workspace = bench.with({ driveMappings: `C:=${bench.root}` });
    const { texts } = await workspace.read(['C:\\src\\a.txt'], 'files', bench.reader);
    expect(texts).toEqual([{ name: 'C:\\src\\a.txt', text: 'one' }]);
    const outside = workspace.read(['C:\\..\\other\\b.txt'], 'files', bench.reader);
    await expect(outside).rejects.toMatchObject({ class: 'permission' });
  },
);
