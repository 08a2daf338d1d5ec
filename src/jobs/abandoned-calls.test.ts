import { describe, expect, test } from 'vitest';
import {
  createJobsHarness,
  jobOf,
  pass,
  probeTool,
  settled,
  stateOf,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

function probed() {
  const world = createJobsHarness();
  const probe = probeTool({ background: 'auto', coalesce: false });
  return { ...world, probe, on: world.daemon([probe.tool]) };
}

describe('a caller that gave up', () => {
  verifies('jobs:given-up', 'finds the answer among its jobs', async () => {
    const { clock, on, probe } = probed();
    const call = on.start('probe');
    clock.advance(10_000);
    call.detach?.();
    const id = await jobOf(call);
    // Some clients say both.
    call.cancel();
    call.detach?.();
    await pass(clock, 100_000, 5000);
    probe.run().answer({ text: 'late' });
    await settled();
    expect(await on.jobs.list('local', 10)).toMatchObject([{ id, status: 'done' }]);
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'late' } });
  });

  verifies('jobs:given-up', 'finds an answer that came while its job was written', async () => {
    const { on, probe, store } = probed();
    const { letGo } = store.hold('adopt');
    const call = on.start('probe');
    call.detach?.();
    await settled();
    probe.run().answer({ text: 'quick' });
    expect(await stateOf(call)).toBe('open');
    letGo();
    const id = await jobOf(call);
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'done',
      answer: { text: 'quick' },
    });
  });

  verifies('jobs:durable', 'finds it also where the store failed just then', async () => {
    const { clock, on, probe, store } = probed();
    store.fail('adopt', 3);
    const call = on.start('probe');
    call.detach?.();
    await settled();
    // Its connection may be closed by now.
    call.cancel();
    probe.run().answer({ text: 'not lost' });
    await pass(clock, 29_000);
    expect(await stateOf(call)).toBe('open');
    await pass(clock, 1000);
    const id = await jobOf(call);
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'not lost' } });
    expect(clock.waiting).toBe(0);
  });

  test('has no job for a call that was finished already', async () => {
    const { on, probe, store } = probed();
    const call = on.start('probe');
    probe.run().answer();
    await call.answer;
    call.detach?.();
    await settled();
    expect(store.done).toEqual([]);
  });
});
