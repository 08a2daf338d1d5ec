import { describe, expect, test } from 'vitest';
import { createJobsWorld, jobOf, JOB_MS, pass, probeTool, settled } from '../../test/jobs-world.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { handOff: 'when_long', coalesce: false } as const;
const BACKGROUND = { handOff: { afterMs: 0, as: 'job' } } as const;

function probed() {
  const probe = probeTool(LONG);
  return { ...createJobsWorld(), probe, tools: [probe.tool] };
}

describe('a queue of many', () => {
  test('who has half of the places lets others go first', async () => {
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

  test('is bounded for each of them, and says when to come back', async () => {
    const { daemon, tools } = probed();
    const on = daemon(tools, { waiting: 2 });
    for (const topic of ['a', 'b']) await jobOf(on.start('probe', { topic }, BACKGROUND));
    const { error } = await on.start('probe', { topic: 'c' }, BACKGROUND).answer;
    expect(error).toMatchObject({ class: 'over_capacity', retryAfterMs: 60_000 });
    const bob = { principal: 'bob', scopes: ['*'], roots: [] };
    await jobOf(on.start('probe', { topic: 'd' }, { ...BACKGROUND, caller: bob }));
  });

  verifies('jobs:deadline', 'what it waits for its turn is not counted', async () => {
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
