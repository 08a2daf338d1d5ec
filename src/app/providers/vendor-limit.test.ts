import { expect, test } from 'vitest';
import { createLimiter } from '#resilience/limiter.ts';
import { createVendorLimit } from './vendor-limit.ts';

const { signal } = new AbortController();

test('a full queue is reported as our own limit, with its setting', async () => {
  const limiter = createLimiter({ capacity: () => 4, maxWaiting: 0 });
  const acquire = createVendorLimit(limiter, 'glm', 1500, 4);
  const leaves = await Promise.all(Array.from({ length: 4 }, () => acquire(signal)));
  await expect(acquire(signal)).rejects.toMatchObject({
    class: 'over_capacity',
    field: 'limits.glm',
    retryAfterMs: 1500,
    message:
      'Too many calls wait for glm already: our own limit of calls at once (limits.glm is 4).',
    fix: 'Raise limits.glm. Or send fewer at once.',
  });
  for (const leave of leaves) leave();
  (await acquire(signal))();
  expect(limiter.running).toBe(0);
});

test('so is a wait that took too long', () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 1 });
  expect(createVendorLimit(limiter, 'kimi', 1000, 2).queueTimeoutError?.()).toMatchObject({
    class: 'over_capacity',
    field: 'limits.kimi',
    message:
      'No place for a call to kimi became free in time: our own limit of calls at once (limits.kimi is 2).',
  });
});

test('an aborted wait takes no permit', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 1 });
  const acquire = createVendorLimit(limiter, 'kimi', 1000);
  const leave = await acquire(signal);
  const leaving = new AbortController();
  const waiting = acquire(leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  leave();
  expect([limiter.running, limiter.waiting]).toEqual([0, 0]);
});
