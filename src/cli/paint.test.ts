import { expect, test } from 'vitest';
import { ansi, paintFor, plain } from './paint.ts';

test.each([
  [{}, 'terminal', ansi],
  [{}, 'file', plain],
  [{ NO_COLOR: '1' }, 'terminal', plain],
  [{ NO_COLOR: '' }, 'terminal', ansi],
  [{ TERM: 'dumb' }, 'terminal', plain],
] as const)('with %j a %s gets its paint', (env, output, paint) => {
  expect(paintFor(env, output)).toBe(paint);
});
