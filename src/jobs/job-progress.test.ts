import { expect, test } from 'vitest';
import { createJobProgress, parseJobProgress } from './job-progress.ts';

test('a change is taken once, and again if it could not be stored', () => {
  const progress = createJobProgress(7);
  expect(progress.take()).toEqual({ note: '', progress: { begunAt: 7 } });
  expect(progress.take()).toBeUndefined();
  progress.add({ note: 'one', done: 1 });
  const told = { note: 'one', progress: { begunAt: 7, note: 'one', done: 1 } };
  expect(progress.take()).toEqual(told);
  expect(progress.take()).toBeUndefined();
  progress.checkpoint({ at: 1 });
  expect(progress.take()).toEqual({ checkpoint: { at: 1 } });
  progress.putBack();
  expect(progress.take()).toEqual({ ...told, checkpoint: { at: 1 } });
  expect(progress.all()).toEqual({ ...told, checkpoint: { at: 1 } });
});

test('of a very long text the end and the length are kept; no character is split', () => {
  const progress = createJobProgress(7);
  for (let piece = 0; piece < 40_001; piece += 1) progress.add({ text: '😀x😀' });
  progress.add({ text: 'end' });
  const { chars, text = '' } = progress.now();
  expect(chars).toBe(200_008);
  expect(text.length).toBeGreaterThan(65_000);
  expect(text.length).toBeLessThan(131_100);
  expect(text.endsWith('😀end')).toBe(true);
  expect(text.isWellFormed?.() ?? true).toBe(true);
  expect(/^[\uDC00-\uDFFF]/.test(text)).toBe(false);
});

test('a rerun keeps the text of the previous run until its first text', () => {
  const progress = createJobProgress(7, {
    begunAt: 5,
    note: 'two',
    chars: 9,
    text: 'So far so',
  });
  progress.add({ note: 'one again' });
  expect(progress.now()).toEqual({
    begunAt: 5,
    note: 'one again',
    chars: 9,
    text: 'So far so',
  });
  progress.add({ text: 'So' });
  progress.add({ text: ' it is' });
  expect(progress.now()).toMatchObject({ note: 'one again', chars: 8, text: 'So it is' });
});

test.each([null, 5, 'text', [1], { text: 5, note: {}, done: 'x', chars: null }])(
  'stored data that is not progress gives none: %j',
  (json) => {
    expect(parseJobProgress(json)).toEqual({});
  },
);
