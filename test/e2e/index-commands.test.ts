import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

interface Found {
  readonly passages: readonly { readonly source: string; readonly place: string }[];
}

verifies('index:commands', 'a folder is indexed, searched, updated and removed', async () => {
  const { exai, serve } = createHome();
  const folder = mkdtempSync(join(tmpdir(), 'exai-index-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (...names: string[]) => join(folder, ...names);
  await serve();
  mkdirSync(path('sub'));
  mkdirSync(path('.git'));
  writeFileSync(path('.gitignore'), 'ignored.txt\n');
  writeFileSync(path('ignored.txt'), 'termination is ignored');
  writeFileSync(
    path('contract.md'),
    '# Contract\n\nThe notice period for termination is 30 days.\n',
  );
  writeFileSync(path('sub', 'code.ts'), 'export function terminateContract() {}\n');
  writeFileSync(path('binary.dat'), Buffer.from([0, 1, 2, 255, 254, 0, 7]));

  const empty = await exai(['index', 'search', 'termination']);
  expect(empty.stdout).toContain('exai index add');
  const added = await exai(['index', 'add', folder, '--json']);
  expect(JSON.parse(added.stdout)).toMatchObject({ added: 2, unchanged: 0, passages: 2 });
  const search = async (query: string) => {
    const { stdout } = await exai(['index', 'search', query, '--json']);
    return (JSON.parse(stdout) as Found).passages.map(({ source, place }) => [source, place]);
  };
  expect(await search('notice period of terminations')).toEqual([
    [path('contract.md'), 'lines 1-3'],
    [path('sub', 'code.ts'), 'line 1'],
  ]);
  const shown = await exai(['index', 'search', 'notice period', '--limit', '1']);
  expect(shown.stdout).toContain(`${path('contract.md')}, lines 1-3`);
  expect((await exai(['index', 'add', path('*.md')])).stdout).toContain('unchanged: 1');
  expect((await exai(['index', 'list'])).stdout).toMatch(/^2 files, 2 passages, \d+ bytes\.$/m);

  // A file that a question has indexed is only counted, unless all are wanted.
  const args = JSON.stringify({
    query: 'asked',
    files: [{ name: 'asked.md', text: 'Asked once.' }],
  });
  expect((await exai(['call', 'search_files', '--args', args])).stdout).toContain('Asked once.');
  const short = (await exai(['index', 'list'])).stdout;
  expect(short).not.toMatch(/ asked /);
  expect(short).toContain(`index update follows ${folder}\n`);
  expect(short).toContain('Indexed for questions: 1 file, 1 passage, 11 bytes.\n');
  expect(short).toContain('exai index list --all');
  expect((await exai(['index', 'list', '--all'])).stdout).toMatch(/ asked +\S/);

  writeFileSync(path('contract.md'), '# Contract\n\nThe deposit is 500.\n');
  rmSync(path('sub', 'code.ts'));
  writeFileSync(path('sub', 'new.md'), 'The landlord pays for repairs.\n');
  const updated = await exai(['index', 'update']);
  expect(updated.stdout).toContain(`removed: ${path('sub', 'code.ts')}`);
  expect(updated.stdout).toContain('Indexed: 2 files; unchanged: 0; removed: 1; stale: 0.');
  expect(await search('landlord')).toEqual([[path('sub', 'new.md'), 'line 1']]);
  expect(await search('notice period')).toEqual([]);
  expect(await search('deposits')).toHaveLength(1);

  expect((await exai(['index', 'search', 'unfindable'])).stdout).toBe(
    'No passage of 2 files (2 passages) matches.\n',
  );

  // A folder that is gone as a whole may come back: a disk that is not mounted.
  renameSync(folder, `${folder}-away`);
  const away = await exai(['index', 'update']);
  expect(away.stderr).toContain(`${folder} is not there`);
  expect(away.stdout).toContain('removed: 0; stale: 2.');
  expect((await exai(['index', 'list'])).stdout).toMatch(/stale +\S*contract\.md/);
  expect((await exai(['index', 'search', 'deposits'])).stdout).toContain('(stale)');
  renameSync(`${folder}-away`, folder);
  expect((await exai(['index', 'update'])).stdout).toContain('unchanged: 2; removed: 0; stale: 0.');
  expect((await exai(['index', 'list'])).stdout).not.toContain('stale');

  expect((await exai(['index', 'remove', path('nowhere')])).code).not.toBe(0);
  expect((await exai(['index', 'remove', folder])).stdout).toContain('2 files');
  expect(await search('deposits')).toEqual([]);
  expect((await exai(['index', 'update'])).stdout).toContain('Indexed: 0 files; unchanged: 0');
  expect((await exai(['index', 'add', path('missing')])).stderr).toContain('missing');
  expect((await exai(['index', 'search', 'x', '--limit', '0'])).stderr).toContain('--limit');
});
