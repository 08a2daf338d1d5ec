import { expect, test } from 'vitest';
import { PROGRAMS } from './init.fixture.ts';
import type { InitOutcome } from './outcome.ts';
import { formatManualEntry, isNoClientFound, formatConfirmation, formatSummary } from './render.ts';

function outcome(
  state: InitOutcome['state'],
  written: 'written' | 'left' = 'written',
): InitOutcome {
  const hunk = { head: '', lines: [] };
  return { client: 'c', name: 'C', state, written: written === 'written', words: '', hunk };
}

test.each([
  [['restore'], '1 file put back.'],
  [['remove'], '1 file removed.'],
  [['take-out', 'take-out'], 'exai taken out of 2 files.'],
  [
    ['remove', 'restore', 'take-out', 'restore'],
    '2 files put back, 1 file removed, exai taken out of 1 file.',
  ],
] as const)('undoing %j is told as what it was', (states, words) => {
  const outcomes = states.map((state) => outcome(state));
  expect(formatSummary('undo', [...outcomes, outcome('refused', 'left')])).toBe(words);
});

test('a file that was not written is not reported as written', () => {
  expect(formatSummary('undo', [outcome('restore', 'left')])).toBe('Nothing was changed.');
  expect(formatSummary('init', [])).toBe('Nothing was changed.');
  expect(formatSummary('init', [outcome('add'), outcome('create')])).toBe('2 files written.');
  const planned = [outcome('remove', 'left')];
  expect(formatSummary('dry-run', planned)).toBe('1 file would change; nothing was written.');
  expect(formatSummary('dry-run', [])).toBe('Nothing would change.');
});

test('init and undo ask different questions', () => {
  expect(formatConfirmation('init', 1, '~/b').question).toBe('Write this file? Backups go to ~/b.');
  expect(formatConfirmation('undo', 1, '~/b').question).toBe('Take this change back?');
  expect(formatConfirmation('undo', 3, '~/b').question).toBe('Take these 3 changes back?');
});

test('where all clients are absent, an entry to paste is printed', () => {
  expect(isNoClientFound([outcome('absent')])).toBe(true);
  expect(isNoClientFound([outcome('absent'), outcome('refused')])).toBe(false);
  expect(isNoClientFound([])).toBe(false);
  expect(JSON.parse(formatManualEntry(PROGRAMS))).toEqual({
    mcpServers: { exai: PROGRAMS.desktop },
  });
});
