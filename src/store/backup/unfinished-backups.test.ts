import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandonedBackups, unfinishedFile } from './unfinished-backups.ts';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

test('old temporary files of backups are removed, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exai-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const written = (name: string, ageMs: number) => {
    const path = join(folder, name);
    writeFileSync(path, 'cut off');
    utimesSync(path, (NOW_MS - ageMs) / 1000, (NOW_MS - ageMs) / 1000);
  };
  written(unfinishedFile('exai-1.jsonl.gz', 1), 2 * HOUR_MS);
  written('before-schema-9-1.jsonl.gz.77-2.part', 2 * HOUR_MS);
  const kept = [
    'exai-1.jsonl.gz',
    'exai-2.jsonl.gz.part',
    'notes.77-2.part',
    'exai-3.jsonl.gz.77-2.part.txt',
  ];
  for (const name of kept) written(name, 2 * HOUR_MS);
  written('running.jsonl.gz.77-3.part', HOUR_MS / 2);
  mkdirSync(join(folder, 'folder.jsonl.gz.77-4.part'));
  utimesSync(join(folder, 'folder.jsonl.gz.77-4.part'), 0, 0);
  symlinkSync('/nowhere', join(folder, 'link.jsonl.gz.77-5.part'));

  expect(removeAbandonedBackups(folder, NOW_MS)).toBe(2);
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      ...kept,
      'running.jsonl.gz.77-3.part',
      'folder.jsonl.gz.77-4.part',
      'link.jsonl.gz.77-5.part',
    ].toSorted(),
  );
});

test('a home without backups has nothing to remove', () => {
  expect(removeAbandonedBackups(join(tmpdir(), 'exai-no-such-folder'), NOW_MS)).toBe(0);
});
