import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { createRateLimitedLog } from './rate-limited-log.ts';

test('a flood of warnings is cut to so many a minute, and the rest is counted', () => {
  const clock = createFakeClock();
  const log = createListLog();
  const warn = createRateLimitedLog(log, clock, 2);
  for (let n = 0; n < 5; n++) warn('refused', { n });
  clock.advance(60_000);
  expect(log.lines).toHaveLength(3);
  warn('refused', { n: 5 });
  expect(log.lines).toEqual([
    { event: 'refused', fields: { n: 0 } },
    { event: 'refused', fields: { n: 1 } },
    { event: 'refused_more', fields: { left_out: 3 } },
    { event: 'refused', fields: { n: 5 } },
  ]);
});
