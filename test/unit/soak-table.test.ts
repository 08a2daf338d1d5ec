import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clearSoakTable, reportSoak, soakTable } from '../soak-table.ts';

test('the rows of long tests become one table, in one order, until it is cleared', () => {
  const dir = mkdtempSync(join(tmpdir(), 'exai-soak-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'results', 'table.jsonl');
  expect(soakTable(file)).toBeUndefined();
  reportSoak({ test: 'kills', amount: '5 calls', lost: 0, hung: 0, wrong: 0 }, file);
  reportSoak(
    { test: 'frozen', amount: '7 calls', lost: 0, hung: 1, wrong: 2, note: 'a | b' },
    file,
  );
  const lines = soakTable(file)?.split('\n') ?? [];
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^\| frozen \| 7 calls \| 0 \| 1 \| 2 \| [\d.]+ \| a \\\| b \|$/);
  expect(lines[3]).toMatch(/^\| kills \| 5 calls \| 0 \| 0 \| 0 \| [\d.]+ \| {2}\|$/);
  clearSoakTable(file);
  expect(soakTable(file)).toBeUndefined();
});
