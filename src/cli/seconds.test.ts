import { expect, test } from 'vitest';
import { secondsMs } from './seconds.ts';

test.each([
  ['30', 30_000],
  ['0.5', 500],
  ['86400', 86_400_000],
])('%s is a time', (text, ms) => {
  expect(secondsMs(text, '--timeout')).toBe(ms);
});

test.each(['0', '-1', '', '1e9', '86401', 'ten', '1.2345', 'Infinity'])('%j is none', (text) => {
  expect(() => secondsMs(text, '--timeout')).toThrow(
    expect.objectContaining({ class: 'validation', field: '--timeout' }),
  );
});

test('a command may allow less, and says how much', () => {
  expect(secondsMs('300', '--timeout', 300)).toBe(300_000);
  expect(() => secondsMs('301', '--timeout', 300)).toThrow(
    expect.objectContaining({ fix: expect.stringContaining('at most 300,') as string }),
  );
});
