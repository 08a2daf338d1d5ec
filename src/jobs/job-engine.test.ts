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

const LONG = { background: 'auto', coalesce: false } as const;
const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

describe('when the daemon stops', () => {
  verifies(
    'jobs:resumed',
    'a job that can be rerun is released and runs in the next daemon',
    async () => {
      const { daemon, probe, tools } = probed({ resumable: true });
      const first = daemon(tools);
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      probe.run().context.checkpoint({ at: 7 });
      await first.stop();
      expect(probe.run().context.signal.aborted).toBe(true);
      expect(await first.jobs.get('local', id)).toMatchObject({ status: 'queued', runs: 0 });
      probe.run().answer({ text: 'too late' });
      await settled();

      const second = daemon(tools);
      await second.begin();
      await settled();
      expect(probe.run(1).context.resumedFrom).toEqual({ at: 7 });
      probe.run(1).answer({ text: 'done by the next' });
      await settled();
      expect(await second.jobs.get('local', id)).toMatchObject({
        answer: { text: 'done by the next' },
      });
    },
  );

  verifies(
    'jobs:interrupted',
    'a job that cannot be rerun ends at once, with its partial text',
    async () => {
      const { daemon, probe, tools } = probed();
      const first = daemon(tools);
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      probe.run().context.progress({ text: 'Half' });
      await first.stop();
      expect(await first.jobs.get('local', id)).toMatchObject({
        status: 'failed',
        answer: { error: { class: 'interrupted' }, envelope: { content: 'Half' } },
      });
      const second = daemon(tools);
      await second.begin();
      await settled();
      expect(probe.runs).toHaveLength(1);
    },
  );

  verifies('jobs:durable', 'a job that cannot be rerun gets time to finish', async () => {
    const { clock, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    const drained = on.drain(10_000);
    await pass(clock, 6000);
    probe.run().answer({ text: 'just in time' });
    await drained;
    await on.stop();
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'just in time' } });
    expect(clock.waiting).toBe(0);
  });

  test('the drain waits no longer than that, and not for resumable jobs', async () => {
    const { clock, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    const drained = on.drain(10_000);
    await pass(clock, 10_000);
    await drained;
    await on.stop();
    expect(await on.jobs.get('local', id)).toMatchObject({
      answer: { error: { class: 'interrupted' } },
    });
    expect(probe.runs).toHaveLength(1);
    const resumable = probed({ resumable: true });
    const other = resumable.daemon(resumable.tools);
    await jobOf(other.start('probe', {}, BACKGROUND));
    await other.drain(10_000);
    expect(resumable.probe.runs).toHaveLength(1);
  });

  verifies('jobs:durable', 'an answer that waits for the store is stored then', async () => {
    const { clock, daemon, probe, tools, store } = probed({ resumable: true });
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    store.fail('finish', 1);
    probe.run().answer({ text: 'paid for' });
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    await on.stop();
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'paid for' } });
    expect(clock.waiting).toBe(0);
  });

  test('a job that was still queued can run in the next daemon, whatever its tool', async () => {
    const { daemon, probe, tools } = probed({ pool: 'provider' });
    const first = daemon(tools, { limits: { global: 1 } });
    await jobOf(first.start('probe', { topic: 'runs' }, BACKGROUND));
    const id = await jobOf(first.start('probe', { topic: 'waits' }, BACKGROUND));
    await settled();
    expect(probe.runs).toHaveLength(1);
    await first.stop();
    const second = daemon(tools);
    await second.begin();
    await settled();
    expect(probe.run(1).args).toEqual({ topic: 'waits' });
    expect(await second.jobs.get('local', id)).toMatchObject({ status: 'running' });
  });

  test('a job claimed at that moment is released', async () => {
    const { daemon, probe, tools, store } = probed();
    const on = daemon(tools);
    const { letGo } = store.hold('claim');
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    await settled();
    const stopping = on.stop();
    letGo();
    await stopping;
    expect(probe.runs).toHaveLength(0);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'queued', runs: 0 });
  });

  test('a call that becomes a job at that moment is handed back like the others', async () => {
    const { clock, daemon, probe, tools, store } = probed();
    const on = daemon(tools);
    const { letGo } = store.hold('adopt');
    const call = on.start('probe');
    clock.advance(45_000);
    await settled();
    await on.stop();
    letGo();
    const id = await jobOf(call);
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'failed',
      answer: { error: { class: 'interrupted' } },
    });
    expect(probe.run().context.signal.aborted).toBe(true);
  });

  test('a store that is closed by then does not block the stop', async () => {
    const { daemon, probe, tools, store } = probed({ resumable: true });
    const first = daemon(tools);
    const id = await jobOf(first.start('probe', {}, BACKGROUND));
    store.fail('release', 1);
    await first.stop();
    expect(first.log.lines.map(({ event }) => event)).toContain('job_lease_not_released');
    const second = daemon(tools);
    await second.begin();
    await settled();
    probe.run(1).answer({ text: 'all the same' });
    await settled();
    expect(await second.jobs.get('local', id)).toMatchObject({ answer: { text: 'all the same' } });
  });

  test('calls after that are plain calls', async () => {
    const { daemon, probe, tools, store } = probed();
    const on = daemon(tools);
    await on.stop();
    const call = on.start('probe', {}, BACKGROUND);
    probe.run().answer();
    expect(await stateOf(call)).toMatchObject({ text: 'done' });
    expect(store.done).toEqual([]);
  });
});
