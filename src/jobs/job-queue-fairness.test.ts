import { describe, expect, test } from 'vitest';
import {
  createJobsHarness,
  jobOf,
  JOB_MS,
  pass,
  probeTool,
  settled,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { background: 'auto', coalesce: false } as const;
const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;

function probed() {
  const probe = probeTool(LONG);
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

describe('a queue of many', () => {
  test('a principal that uses half of the slots lets others go first', async () => {
    const { daemon, probe, tools } = probed();
    const on = daemon(tools, { running: 2 });
    const bob = { principal: 'bob', scopes: ['*'], roots: [] };
    for (const topic of ['a', 'b', 'c']) {
      await jobOf(on.start('probe', { topic }, { ...BACKGROUND, caller: bob }));
    }
    await jobOf(on.start('probe', { topic: 'mine' }, BACKGROUND));
    expect(probe.runs.map(({ args }) => args)).toEqual([{ topic: 'a' }, { topic: 'b' }]);
    probe.run().answer();
    await settled();
    expect(probe.run(2).args).toEqual({ topic: 'mine' });
    probe.run(1).answer();
    await settled();
    expect(probe.run(3).args).toEqual({ topic: 'c' });
  });

  test('is bounded for each principal, and says when to retry', async () => {
    const { daemon, tools } = probed();
    const on = daemon(tools, { waiting: 2 });
    for (const topic of ['a', 'b']) await jobOf(on.start('probe', { topic }, BACKGROUND));
    const { error } = await on.start('probe', { topic: 'c' }, BACKGROUND).answer;
    expect(error).toMatchObject({ class: 'over_capacity', retryAfterMs: 60_000 });
    const bob = { principal: 'bob', scopes: ['*'], roots: [] };
    await jobOf(on.start('probe', { topic: 'd' }, { ...BACKGROUND, caller: bob }));
  });

  verifies('jobs:deadline', 'time in the queue is not counted', async () => {
    const { clock, daemon, probe, tools } = probed();
    const on = daemon(tools, { running: 1 });
    await jobOf(on.start('probe', { topic: 'first' }, BACKGROUND));
    const id = await jobOf(on.start('probe', { topic: 'second' }, BACKGROUND));
    await pass(clock, JOB_MS - 1000, 60_000);
    probe.run().answer();
    await pass(clock, 120_000, 60_000);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    expect(probe.run(1).context.signal.aborted).toBe(false);
  });
});
