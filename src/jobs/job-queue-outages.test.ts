import { CallError } from '#core/errors/call-error.ts';
import { expect } from 'vitest';
import { createJobsHarness, jobOf, pass, probeTool, settled } from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { background: 'auto', coalesce: false } as const;
const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

verifies(
  'jobs:claimed-late',
  'a job whose claim is stored after the daemon heard that it failed runs once its lease has expired, also if it cannot be resumed',
  async () => {
    const { store, daemon, probe, tools, clock } = probed({ resumable: false });
    const on = daemon(tools);
    store.fail('claim', 1, 'afterwards');
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    await pass(clock, 3000);
    expect(probe.runs).toHaveLength(0);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running', runs: 1 });
    await pass(clock, 31_000);
    expect(probe.runs).toHaveLength(1);
    probe.run().answer({ text: 'late' });
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'done' });
    expect(clock.waiting).toBe(0);
  },
);

verifies(
  'jobs:background',
  'a job that begins while nothing can be stored goes back to the queue, and runs when the store works again',
  async () => {
    let failure: CallError | undefined;
    const { clock, store, daemon, probe, tools } = probed({ effect: 'changes' });
    const on = daemon(tools, { storeFailure: () => failure });
    const { letGo } = store.hold('claim');
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    for (const down of ['network', 'permission'] as const) {
      failure = new CallError(down, 'The store fails.');
      letGo();
      await pass(clock, 5000);
      expect(await on.jobs.get('local', id)).toMatchObject({ status: 'queued', runs: 0 });
    }
    expect(probe.runs).toHaveLength(0);
    failure = undefined;
    await pass(clock, 2000);
    probe.run().answer({ text: 'after the outage' });
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'done',
      answer: { text: 'after the outage' },
    });
  },
);
