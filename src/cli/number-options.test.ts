import { describe, expect, test } from 'vitest';
import { parseCountOption, parseSecondsOption, parseTimeoutOption } from './number-options.ts';

describe('count option', () => {
  test('a whole number within its bounds is taken', () => {
    expect(
      ['1', '007', '100', undefined].map((text) => parseCountOption(text, '--limit', 100)),
    ).toEqual([1, 7, 100, undefined]);
  });

  test.each(['0', '101', '-1', '1.5', '', 'ten', '9'.repeat(400)])('%.20j is refused', (text) => {
    expect(() => parseCountOption(text, '--limit', 100)).toThrow(
      '--limit must be a whole number from 1 to 100',
    );
  });
});

describe('seconds', () => {
  test.each([
    ['30', 30_000],
    ['0.5', 500],
    ['86400', 86_400_000],
  ])('%s is a time', (text, ms) => {
    expect(parseSecondsOption(text, '--timeout')).toBe(ms);
  });

  test.each(['0', '-1', '', '1e9', '86401', 'ten', '1.2345', 'Infinity'])('%j is none', (text) => {
    expect(() => parseSecondsOption(text, '--timeout')).toThrow(
      expect.objectContaining({ class: 'validation', field: '--timeout' }),
    );
  });

  test('waiting has one default and one range', () => {
    expect(parseTimeoutOption(undefined)).toEqual({ timeoutMs: 600_000, timeoutOf: 'silence' });
    expect(parseTimeoutOption('400')).toEqual({ timeoutMs: 400_000, timeoutOf: 'answer' });
    expect(() => parseTimeoutOption('86401')).toThrow('more than 0 and at most 86400 seconds');
  });

  test('a command may allow less, and says how much', () => {
    expect(parseSecondsOption('300', '--timeout', 300)).toBe(300_000);
    expect(() => parseSecondsOption('301', '--timeout', 300)).toThrow(
      '--timeout must be more than 0 and at most 300 seconds, but is "301".',
    );
  });
});
