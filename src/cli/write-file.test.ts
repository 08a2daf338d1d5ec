import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeOutputFile } from './write-file.ts';

test('what cannot be written says where, and what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exai-save-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const refusal = (file: string) => {
    try {
      writeOutputFile(file, 'text', 'keep');
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  };
  const file = join(folder, 'talk.md');
  expect(refusal(file)).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe('text');
  expect(refusal(file)).toMatchObject({ class: 'conflict', field: '--output' });
  const deep = join(folder, 'no such', 'talk.md');
  expect(refusal(deep)).toMatchObject({
    class: 'not_found',
    message: `There is no folder ${join(folder, 'no such')}; nothing was written.`,
    fix: `mkdir -p '${join(folder, 'no such')}'`,
  });
  expect(refusal(join(file, 'below'))).toMatchObject({
    class: 'validation',
    fix: 'Choose another place.',
  });
  mkdirSync(join(folder, 'taken'));
  expect(refusal(join(folder, 'taken'))).toMatchObject({ class: 'conflict' });
});
