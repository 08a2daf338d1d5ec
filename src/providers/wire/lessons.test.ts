import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createLessons } from './lessons.ts';

describe('the window that a refusal names', () => {
  test.each([
    [4096, 131_072, 5000, 4096],
    [8192, 1_048_576, 20_000, 8192],
    [32_768, 32_768, 40_000, 32_768],
    // Our count of tokens may be too low.
    [8192, 131_072, 5000, 8192],
    // Of no use to anybody.
    [1, 131_072, 5000, undefined],
    [0, 131_072, 5000, undefined],
    [511, 8192, 5000, undefined],
    [1000, 1_048_576, 5000, undefined],
    // What was refused would have fitted.
    [8192, 131_072, 50, undefined],
  ])(
    '%j of a model of %j, after a prompt of %j, is taken for %j',
    (tokens, knownTokens, askedTokens, learned) => {
      const lessons = createLessons(createFakeClock());
      lessons.learnWindow('m', { tokens, knownTokens, askedTokens });
      expect(lessons.window('m')).toBe(learned);
    },
  );

  verifies('security:shared-breakers', 'is forgotten after ten minutes', () => {
    const clock = createFakeClock();
    const lessons = createLessons(clock);
    lessons.learnWindow('m', { tokens: 4096, knownTokens: 8192, askedTokens: 5000 });
    clock.advance(599_999);
    expect(lessons.window('m')).toBe(4096);
    clock.advance(1);
    expect(lessons.window('m')).toBeUndefined();
  });
});

test('what a model was found not to take is tried again after ten minutes', () => {
  const clock = createFakeClock();
  const lessons = createLessons(clock);
  const lesson = 'top_p';
  lessons.learn('m', lesson);
  lessons.learn('m', lesson);
  expect(lessons.of('m')).toEqual([lesson]);
  clock.advance(600_000);
  expect(lessons.of('m')).toEqual([]);
});
