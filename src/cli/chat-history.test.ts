import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepHistory, MAX_HISTORY, readHistory } from './chat-history.ts';

function historyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-chat-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'chat-history');
}

test('lines are kept for their owner alone, behind those of other chats', () => {
  const file = historyFile();
  expect(readHistory(file)).toEqual([]);
  keepHistory(file, []);
  expect(readHistory(file)).toEqual([]);
  keepHistory(file, ['one', ' ', 'two']);
  keepHistory(file, ['two', 'three', 'x'.repeat(3_000), 'see [pasted #1: 2 lines]']);
  expect(readHistory(file)).toEqual(['one', 'two', 'three']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the lines of one message stay together', () => {
  const file = historyFile();
  keepHistory(file, ['before', 'one\\\ntwo\\\nthree', 'a path: C:\\\\', 'after']);
  expect(readHistory(file)).toEqual(['before', 'one\\\ntwo\\\nthree', 'a path: C:\\\\', 'after']);
  writeFileSync(file, '\\\n'.repeat(500_000));
  expect(readHistory(file)).toEqual([]);
});

test('only so many lines are kept, the newest', () => {
  const file = historyFile();
  keepHistory(
    file,
    Array.from({ length: MAX_HISTORY + 10 }, (_, at) => `line ${at}`),
  );
  const kept = readHistory(file);
  expect([kept.length, kept[0]]).toEqual([MAX_HISTORY, 'line 10']);
});

test('a file that cannot be read or written is no reason to fail', () => {
  const file = historyFile();
  writeFileSync(file, '');
  keepHistory(join(file, 'below'), ['lost']);
  expect(readHistory(join(file, 'below'))).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe('');
});
