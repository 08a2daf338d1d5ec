import { expect, test } from 'vitest';
import { PROGRAMS } from './init.fixture.ts';
import type { Outcome } from './outcome.ts';
import { byHandText, nobodyFound, questionWords, summaryWords } from './words.ts';

function outcome(state: Outcome['state'], written: 'written' | 'left' = 'written'): Outcome {
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
  expect(summaryWords('undo', [...outcomes, outcome('refused', 'left')])).toBe(words);
});

test('what was not written is not told as written', () => {
  expect(summaryWords('undo', [outcome('restore', 'left')])).toBe('Nothing was changed.');
  expect(summaryWords('init', [])).toBe('Nothing was changed.');
  expect(summaryWords('init', [outcome('add'), outcome('create')])).toBe('2 files written.');
  const planned = [outcome('remove', 'left')];
  expect(summaryWords('dry-run', planned)).toBe('1 file would change; nothing was written.');
  expect(summaryWords('dry-run', [])).toBe('Nothing would change.');
});

test('both ways are asked about in their own words', () => {
  expect(questionWords('init', 1, '~/b').question).toBe('Write this file? Backups go to ~/b.');
  expect(questionWords('undo', 1, '~/b').question).toBe('Take this change back?');
  expect(questionWords('undo', 3, '~/b').question).toBe('Take these 3 changes back?');
});

test('nobody is found where all are absent, and then there is something to paste', () => {
  expect(nobodyFound([outcome('absent')])).toBe(true);
  expect(nobodyFound([outcome('absent'), outcome('refused')])).toBe(false);
  expect(nobodyFound([])).toBe(false);
  expect(JSON.parse(byHandText(PROGRAMS))).toEqual({ mcpServers: { exai: PROGRAMS.desktop } });
});
