import { expect, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createVendorLimiter } from './providers.ts';
import { createVendorLimit } from './vendor-limit.ts';

const { signal } = new AbortController();

test('a full queue is reported as our own limit, with its setting', async () => {
  const limiter = createLimiter({ capacity: () => 4, maxWaiting: 0 });
  const acquire = createVendorLimit(limiter, 'glm', 1500, { capacity: 4 });
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
  expect(
    createVendorLimit(limiter, 'kimi', 1000, { capacity: 2 }).queueTimeoutError?.(),
  ).toMatchObject({
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

function runningAtOnce(env: Readonly<Record<string, string>>, pool: string): number {
  const { config } = loadConfig({ env });
  const limiter = createVendorLimiter(() => config, createFakeClock());
  const admissions = Array.from({ length: 8 }, () =>
    limiter.acquire({ pools: [pool], fairnessKey: pool }),
  );
  return admissions.filter(({ is }) => is === 'granted').length;
}

test.each([
  ['one key', {}, 2],
  ['several keys', { OTHER_KEYS: 'sk-second-0123456789' }, 5],
] as const)(
  'a new account starts below the limit of the settings; with %s %o, %d run at once',
  (_, more, most) => {
    const named = (prefix: string) =>
      Object.fromEntries(Object.entries(more).map(([name, value]) => [`${prefix}_${name}`, value]));
    const kimi = { KIMI_API_KEY: 'sk-first-0123456789', EXAI_LIMITS_KIMI: '5' };
    expect(runningAtOnce({ ...kimi, ...named('EXAI_PROVIDERS_KIMI') }, 'kimi')).toBe(most);
    const groq = {
      EXAI_PROVIDERS_ADDED_GROQ_API_KEY: 'gsk-first-0123456789',
      EXAI_PROVIDERS_ADDED_GROQ_MAX_CALLS: '5',
    };
    const groqAll = { ...groq, ...named('EXAI_PROVIDERS_ADDED_GROQ') };
    expect(runningAtOnce(groqAll, 'added groq')).toBe(most);
  },
);

test('who waits while the capacity of an account is learnt is not counted as the queue', () => {
  const env = { KIMI_API_KEY: 'k', EXAI_LIMITS_KIMI: '400', EXAI_LIMITS_QUEUE: '10' };
  const { config } = loadConfig({ env });
  const limiter = createVendorLimiter(() => config, createFakeClock());
  const admissions = Array.from({ length: 420 }, () =>
    limiter.acquire({ pools: ['kimi'], fairnessKey: 'kimi' }),
  );
  expect(admissions.filter(({ is }) => is === 'full')).toHaveLength(10);
});
