import { describe, expect, test } from 'vitest';
import {
  createJobsHarness,
  jobOf,
  pass,
  probeTool,
  settled,
  type JobsDaemon,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { background: 'auto', coalesce: false } as const;
const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;
const LEASE_MS = 30_000;

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

const events = ({ log }: JobsDaemon) => log.lines.map(({ event }) => event);

describe('a store that fails for a while', () => {
  verifies('jobs:durable', 'the result of a job is stored when the store works again', async () => {
    const { clock, store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    store.fail('finish', 12);
    probe.run().answer({ text: 'kept in mind' });
    await pass(clock, 120_000);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    await pass(clock, 180_000);
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'done',
      runs: 1,
      answer: { text: 'kept in mind' },
    });
    // At first after a second, later every half a minute.
    expect(store.done.filter((name) => name === 'finish')).toHaveLength(13);
    expect(clock.waiting).toBe(0);
  });

  verifies(
    'jobs:durable',
    'progress that a heartbeat could not store is stored by the next',
    async () => {
      const { clock, store, daemon, probe, tools } = probed({ resumable: true });
      const on = daemon(tools);
      const id = await jobOf(on.start('probe', {}, BACKGROUND));
      probe.run().context.checkpoint({ step: 1 });
      probe.run().context.progress({ note: 'at the first' });
      store.fail('heartbeat', 3);
      await pass(clock, 19_000);
      expect(await store.get(id, 'local')).toMatchObject({ checkpoint: null, note: '' });
      await pass(clock, 5000);
      expect(await store.get(id, 'local')).toMatchObject({
        checkpoint: { step: 1 },
        note: 'at the first',
        progress: { note: 'at the first' },
      });
      expect(events(on).filter((event) => event === 'job_heartbeat_failed')).toHaveLength(3);
    },
  );

  verifies(
    'jobs:durable',
    'a job that cannot be run ends as soon as that can be stored',
    async () => {
      const { clock, store, daemon, tools } = probed();
      const first = daemon(tools);
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      await settled();
      first.kill();
      store.fail('finish', 3);
      const second = daemon(tools);
      await second.begin();
      await pass(clock, 60_000);
      expect(await second.jobs.get('local', id)).toMatchObject({
        status: 'failed',
        answer: { error: { class: 'interrupted' } },
      });
      expect(clock.waiting).toBeLessThan(4);
    },
  );

  verifies('jobs:durable', 'queued jobs are claimed when the store works again', async () => {
    const { clock, store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    store.fail('claim', 5);
    await jobOf(on.start('probe', {}, BACKGROUND));
    await settled();
    await pass(clock, 9000);
    expect(probe.runs).toHaveLength(0);
    await pass(clock, 1000);
    expect(probe.runs).toHaveLength(1);
    expect(events(on).filter((event) => event === 'jobs_not_claimed')).toHaveLength(5);
  });

  test('an input request is stored when the store works again', async () => {
    const { clock, store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, { ...BACKGROUND, clientCapabilities: ['form'] }));
    store.fail('ask', 2);
    const form = { is: 'form', message: 'Which?', schema: { type: 'object' } } as const;
    probe.run().answer({ inputRequests: { which: form } });
    await pass(clock, 2000);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    await pass(clock, 2000);
    expect(await on.jobs.get('local', id)).toMatchObject({
      pendingInput: { questions: { which: form } },
    });
  });
});

describe('leases', () => {
  test('heartbeats keep the lease of a running job for as long as it takes', async () => {
    const { clock, store, daemon, probe, tools } = probed({ resumable: true });
    const first = daemon(tools, { among: 'others' });
    const second = daemon(tools, { among: 'others' });
    await second.begin();
    const id = await jobOf(first.start('probe', {}, BACKGROUND));
    await pass(clock, 20 * LEASE_MS, 5000);
    expect(probe.runs).toHaveLength(1);
    expect(await store.get(id, 'local')).toMatchObject({ runs: 1, fence: 1 });
  });

  verifies(
    'jobs:leased',
    'a job that another daemon has taken over is stopped, and its result is not stored here',
    async () => {
      const { clock, store, daemon, probe, tools } = probed({ resumable: true });
      const first = daemon(tools, { among: 'others' });
      const second = daemon(tools, { among: 'others' });
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      probe.run().context.checkpoint({ step: 1 });
      await pass(clock, 5000);
      store.fail('heartbeat', 100);
      await pass(clock, LEASE_MS + 1000);
      store.fail('heartbeat', 0);
      await second.begin();
      await settled();
      expect(probe.run(1).context.resumedFrom).toEqual({ step: 1 });
      await pass(clock, 6000);
      expect(probe.run(0).context.signal.aborted).toBe(true);
      probe.run(0).answer({ text: 'of the first' });
      await settled();
      expect(await first.jobs.get('local', id)).toMatchObject({ status: 'running', runs: 2 });
      probe.run(1).answer({ text: 'of the second' });
      await settled();
      expect(await first.jobs.get('local', id)).toMatchObject({
        answer: { text: 'of the second' },
      });
    },
  );

  verifies('jobs:leased', 'a result after the lease was lost is not stored', async () => {
    const { clock, store, daemon, probe, tools } = probed({ resumable: true });
    // It has no room, and so does not look for work itself.
    const first = daemon(tools, { among: 'others', running: 1 });
    const second = daemon(tools, { among: 'others' });
    const id = await jobOf(first.start('probe', {}, BACKGROUND));
    store.fail('heartbeat', 7);
    await pass(clock, LEASE_MS + 1000);
    await second.begin();
    await settled();
    probe.run(0).answer({ text: 'of the first' });
    await settled();
    expect(await first.jobs.get('local', id)).toMatchObject({ status: 'running', runs: 2 });
    probe.run(1).answer({ text: 'of the second' });
    await settled();
    expect(await first.jobs.get('local', id)).toMatchObject({ answer: { text: 'of the second' } });
  });

  test.each(['yes', 'no'] as const)(
    'a job that its own daemon claims again, as after the machine slept, continues (resumable: %s)',
    async (resumable) => {
      const { clock, store, daemon, probe, tools } = probed({ resumable: resumable === 'yes' });
      const on = daemon(tools);
      const id = await jobOf(on.start('probe', { topic: 'slow' }, BACKGROUND));
      await settled();
      // Time passes while the machine sleeps; then a call comes before any heartbeat.
      clock.jump(600_000);
      await jobOf(on.start('probe', { topic: 'next' }, BACKGROUND));
      await settled();
      expect(probe.runs.map(({ args }) => args['topic'])).toEqual(['slow', 'next']);
      expect(probe.run(0).context.signal.aborted).toBe(false);
      expect(await store.get(id, 'local')).toMatchObject({ status: 'running', fence: 2 });
      probe.run(0).context.progress({ note: 'still here' });
      await pass(clock, 12_000);
      expect(await store.get(id, 'local')).toMatchObject({ note: 'still here', fence: 2 });
      probe.run(0).answer({ text: 'awake' });
      await settled();
      expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'awake' } });
    },
  );

  test('a result that meets such a claim is stored with the new lease', async () => {
    const { clock, store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', { topic: 'slow' }, BACKGROUND));
    await settled();
    clock.jump(600_000);
    const { letGo } = store.hold('finish');
    probe.run(0).answer({ text: 'at the same time' });
    await settled();
    await jobOf(on.start('probe', { topic: 'next' }, BACKGROUND));
    await settled();
    letGo();
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'at the same time' } });
  });

  verifies(
    'jobs:resumed',
    'a daemon that is alone takes over the jobs of another at once',
    async () => {
      const { store, daemon, probe, tools } = probed({ resumable: true });
      const first = daemon(tools);
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      await settled();
      first.kill();
      const second = daemon(tools, { among: 'others' });
      await second.begin();
      await settled();
      expect(probe.runs).toHaveLength(1);
      const third = daemon(tools, { among: 'alone' });
      await third.begin();
      await settled();
      expect(probe.runs).toHaveLength(2);
      // It also took away what the one before may still think is its own.
      const stale = { jobId: id, fence: 1 };
      expect(await store.finish(stale, { status: 'done', result: null })).toBe('lost');
      expect(await third.jobs.get('local', id)).toMatchObject({ status: 'running' });
    },
  );

  verifies(
    'jobs:leased',
    'among others, the jobs of a dead daemon are taken over when its leases expire',
    async () => {
      const { clock, daemon, probe, tools } = probed({ resumable: true });
      const first = daemon(tools, { among: 'others' });
      const second = daemon(tools, { among: 'others' });
      await second.begin();
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      await settled();
      first.kill();
      await pass(clock, LEASE_MS - 1000);
      expect(probe.runs).toHaveLength(1);
      await pass(clock, LEASE_MS + 1000);
      expect(probe.runs).toHaveLength(2);
      probe.run(1).answer();
      await settled();
      expect(await second.jobs.get('local', id)).toMatchObject({ status: 'done', runs: 2 });
    },
  );
});

test('an idle daemon has no timers, and one with a job has few', async () => {
  const { clock, daemon, probe, tools } = probed();
  const on = daemon(tools);
  await on.begin();
  await settled();
  expect(clock.waiting).toBe(0);
  await jobOf(on.start('probe', {}, BACKGROUND));
  await settled();
  // Its deadline and the heartbeat.
  expect(clock.waiting).toBe(2);
  probe.run().answer();
  await settled();
  expect(clock.waiting).toBe(0);
});
