import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createTestCalls, probeTool, settled, stateOf } from './calls.fixture.ts';
import { capacityOf, poolsOf } from './call-limits.ts';

const ALONE = { pool: 'provider', coalesce: false } as const;

verifies(
  'calls:admit',
  'a call counts globally and for its session, and in the pool of its provider',
  () => {
    expect(poolsOf('provider', 'a')).toEqual(['global', 'session:a']);
    expect(poolsOf('kimi', 'a')).toEqual(['global', 'session:a', 'kimi']);
    const limits = { global: 24, kimi: 6, glm: 4, session: 8 };
    expect(['global', 'kimi', 'glm', 'session:a'].map((pool) => capacityOf(pool, limits))).toEqual([
      24, 6, 4, 8,
    ]);
    expect(capacityOf('toString', limits)).toBe(0);
  },
);

verifies(
  'calls:admit',
  'over the limit calls wait, and over the queue they are refused with the time to come back',
  async () => {
    const probe = probeTool(ALONE);
    const { start, calls } = createTestCalls([probe.tool], {
      limits: { global: 1 },
      maxWaiting: 1,
    });
    const [first, second, third] = [start('probe'), start('probe'), start('probe')];
    const { error, envelope } = await third.answer;
    expect(error).toMatchObject({ class: 'over_capacity', retryAfterMs: 1500 });
    expect(envelope).toMatchObject({
      status: 'error',
      error_class: 'over_capacity',
      tool: 'probe',
    });
    expect(calls.load()).toEqual({
      running: 2,
      waitingForProvider: 1,
      waiting: 1,
      capacity: 1,
      tools: ['probe'],
    });
    expect(probe.runs).toHaveLength(1);

    probe.run(0).answer();
    expect((await first.answer).envelope.status).toBe('success');
    await settled();
    probe.run(1).answer();
    expect((await second.answer).envelope.status).toBe('success');
    expect(calls.load()).toEqual({
      running: 0,
      waitingForProvider: 0,
      waiting: 0,
      capacity: 1,
      tools: ['probe'],
    });
  },
);

verifies(
  'calls:admit',
  'sessions take turns: one that floods the queue waits behind its own calls',
  async () => {
    const probe = probeTool(ALONE);
    const { start } = createTestCalls([probe.tool], { limits: { global: 1 } });
    for (const topic of ['flood 1', 'flood 2', 'flood 3']) start('probe', { topic });
    start('probe', { topic: 'other' }, { session: 's2' });
    for (let turn = 0; turn < 4; turn++) {
      await settled();
      probe.run(turn).answer();
    }
    expect(probe.runs.map(({ args }) => args['topic'])).toEqual([
      'flood 1',
      'flood 2',
      'other',
      'flood 3',
    ]);
  },
);

verifies('calls:admit', 'one session cannot take every place', async () => {
  const probe = probeTool(ALONE);
  const { start } = createTestCalls([probe.tool], { limits: { session: 2 } });
  for (let count = 0; count < 3; count++) start('probe');
  start('probe', {}, { session: 's2' });
  await settled();
  expect(probe.runs).toHaveLength(3);
});

verifies(
  'calls:admit',
  'a call evicted from a full queue by a session without calls fails as over_capacity',
  async () => {
    const probe = probeTool(ALONE);
    const { start } = createTestCalls([probe.tool], { limits: { global: 1 }, maxWaiting: 2 });
    start('probe');
    start('probe');
    const newest = start('probe');
    const other = start('probe', {}, { session: 's2' });
    expect((await newest.answer).error?.class).toBe('over_capacity');
    expect(await stateOf(other)).toBe('open');
  },
);

verifies('calls:admit', 'a tool without a pool is never queued', async () => {
  const slow = probeTool({ ...ALONE, name: 'slow' });
  const quick = probeTool({ name: 'quick', coalesce: false });
  const { start } = createTestCalls([slow.tool, quick.tool], {
    limits: { global: 1, session: 1 },
    maxWaiting: 0,
  });
  start('slow');
  for (let count = 0; count < 100; count++) start('quick');
  await settled();
  expect(quick.runs).toHaveLength(100);
});

verifies(
  'calls:admit',
  'a call says when it has its place, with the time it has; one that is refused never does',
  async () => {
    const probe = probeTool({ ...ALONE, timeoutMs: 5000 });
    const { start } = createTestCalls([probe.tool], { limits: { global: 1 }, maxWaiting: 1 });
    const admitted: unknown[] = [];
    const about = (who: string) => ({
      onAdmitted: (facts: unknown) => void admitted.push({ who, facts }),
    });
    start('probe', {}, about('first'));
    start('probe', {}, { ...about('second'), timeoutMs: 700 });
    await start('probe', {}, about('third')).answer;
    expect(admitted).toEqual([{ who: 'first', facts: { timeoutMs: 5000 } }]);
    probe.run(0).answer();
    await settled();
    expect(admitted[1]).toEqual({ who: 'second', facts: { timeoutMs: 700 } });
    expect(admitted).toHaveLength(2);
  },
);
