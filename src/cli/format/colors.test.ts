import { expect, test } from 'vitest';
import { ansi, paintFor, noColor } from './colors.ts';

test.each([
  [{}, 'terminal', ansi],
  [{}, 'file', noColor],
  [{ NO_COLOR: '1' }, 'terminal', noColor],
  [{ NO_COLOR: '' }, 'terminal', ansi],
  [{ TERM: 'dumb' }, 'terminal', noColor],
] as const)('with %j a %s gets its paint', (env, output, paint) => {
  expect(paintFor(env, output)).toBe(paint);
});
