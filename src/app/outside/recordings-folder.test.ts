import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { listReplayFolder, makeRecordFolder, recordTrouble } from './recordings-folder.ts';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function thrownBy(work: () => unknown): CallError {
  try {
    work();
  } catch (thrown) {
    return CallError.from(thrown);
  }
  throw new Error('nothing was thrown');
}

test('the last folder alone is made, for its user alone', () => {
  const path = join(createFolder(), 'tapes');
  expect(recordTrouble(path)).toBeUndefined();
  makeRecordFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  makeRecordFolder(path);
  expect(recordTrouble(path)).toBeUndefined();
});

test.each(['missing/tapes', 'file', 'file/tapes'])(
  '%s is refused, and says what to set',
  (name) => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, name);
    const error = thrownBy(() => makeRecordFolder(path));
    expect(error).toMatchObject({ class: 'validation', field: 'network.record' });
    expect(error.fix).toContain('EXAI_RECORD');
    expect(recordTrouble(path)).toMatchObject({ field: 'network.record' });
  },
);

test.runIf(process.platform === 'linux')('a folder that nobody can make is refused at once', () => {
  expect(thrownBy(() => makeRecordFolder('/proc/exai/tapes')).fix).toContain('EXAI_RECORD');
  expect(thrownBy(() => makeRecordFolder('/proc/exai')).fix).toContain('EXAI_RECORD');
});

test('recordings are listed, and a missing folder says what to set', () => {
  const folder = createFolder();
  mkdirSync(join(folder, 'tapes'));
  expect(listReplayFolder(folder)).toEqual(['tapes']);
  const error = thrownBy(() => listReplayFolder(join(folder, 'missing')));
  expect(error).toMatchObject({ class: 'validation', field: 'network.replay' });
  expect(error.fix).toContain('EXAI_REPLAY');
});
