import { describe, expect, test } from 'vitest';
import { vendorQueue } from '../vendor-queue.fixture.ts';
import { verifies } from '../verifies.ts';

describe('more requests than slots', () => {
  for (const delivery of ['stream', 'whole'] as const) {
    for (const count of [5, 30, 60]) {
      verifies('ask:queue', `GLM alone answers ${count} at once (${delivery})`, async () => {
        const queue = vendorQueue({ slots: { glm: 4 }, answerMs: 3000, delivery });
        const { answered, errors, most } = await queue.ask(count);
        expect({ answered, errors, most }).toEqual({
          answered: count,
          errors: [],
          most: { glm: 4 },
        });
      });
    }

    verifies('ask:queue', `Kimi and GLM answer 16 at once (${delivery})`, async () => {
      const queue = vendorQueue({ slots: { kimi: 6, glm: 4 }, answerMs: 8000, delivery });
      const { answered, errors, most } = await queue.ask(16);
      expect({ answered, errors, most }).toEqual({
        answered: 16,
        errors: [],
        most: { kimi: 6, glm: 4 },
      });
    });
  }

  verifies('ask:queue', '1,000 at once are all answered if the queue may be as long', async () => {
    const queue = vendorQueue({
      slots: { kimi: 6, glm: 4 },
      answerMs: 1000,
      queue: 1000,
      timeoutMs: 600_000,
    });
    expect(await queue.ask(1000, 1000)).toMatchObject({ answered: 1000, errors: [] });
  });

  verifies(
    'ask:queue',
    'another provider with a free slot is asked after two seconds',
    async () => {
      const queue = vendorQueue({ slots: { kimi: 1, glm: 1 }, answerMs: 50_000 });
      const { answered, elapsedMs } = await queue.ask(2);
      expect(answered).toBe(2);
      expect(elapsedMs).toBeLessThan(60_000);
    },
  );

  test('only what no longer fits the queue is refused, with the time of a retry', async () => {
    const queue = vendorQueue({ slots: { glm: 4 }, answerMs: 20_000, queue: 8 });
    const { answered, errors } = await queue.ask(20);
    expect(answered).toBe(12);
    expect(errors).toHaveLength(8);
    for (const error of errors) {
      expect(error).toMatchObject({ class: 'over_capacity', retryAfterMs: 1000 });
      expect(error.field).toBe('limits.glm');
    }
  });

  test('who is still in the queue at its deadline meets our limit, which opens no breaker', async () => {
    const queue = vendorQueue({ slots: { kimi: 1, glm: 1 }, answerMs: 4000, timeoutMs: 15_000 });
    const { answered, errors } = await queue.ask(20);
    expect(answered).toBeGreaterThanOrEqual(4);
    // Those that were being answered then, one for each slot, have a timeout.
    const timeouts = errors.filter((error) => error.class === 'timeout');
    const limited = errors.filter((error) => error.class === 'over_capacity');
    expect(timeouts.length).toBeLessThanOrEqual(2);
    expect(limited).toHaveLength(errors.length - timeouts.length);
    expect(queue.breakers.all().filter(({ is }) => is !== 'closed')).toEqual([]);
  });
});
