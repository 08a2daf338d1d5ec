import { describe, expect, test } from 'vitest';
import {
  createJobsWorld,
  jobOf,
  pass,
  probeTool,
  settled,
  type JobsDaemon,
} from '../../test/jobs-world.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { handOff: 'when_long', coalesce: false } as const;
const BACKGROUND = { handOff: { afterMs: 0, as: 'job' } } as const;
const LEASE_MS = 30_000;

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsWorld(), probe, tools: [probe.tool] };
}

const events = ({ log }: JobsDaemon) => log.lines.map(({ event }) => event);

describe('a store that fails for a while', () => {
  verifies('jobs:durable', 'the end of a job is stored when there is room again', async () => {
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

  verifies('jobs:durable', 'what heartbeats could not store is stored by the next', async () => {
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
  });

  verifies('jobs:durable', 'a job that cannot be run ends when that can be stored', async () => {
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
  });

  verifies('jobs:durable', 'what waits is claimed when that works again', async () => {
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

  test('a question is stored when there is room again', async () => {
    const { clock, store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, { ...BACKGROUND, askable: ['form'] }));
    store.fail('ask', 2);
    const form = { is: 'form', message: 'Which?', schema: { type: 'object' } } as const;
    probe.run().answer({ asks: { which: form } });
    await pass(clock, 2000);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    await pass(clock, 2000);
    expect(await on.jobs.get('local', id)).toMatchObject({ asks: { questions: { which: form } } });
  });
});

describe('leases', () => {
  test('a heartbeat keeps what runs, for as long as it takes', async () => {
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
    'what another has taken over is stopped, and its end is not ours',
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

  verifies('jobs:leased', 'an end that comes after the lease was lost is not stored', async () => {
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
    'what a daemon claims of itself, as after a sleep of the machine, goes on (resumable: %s)',
    async (resumable) => {
      const { clock, store, daemon, probe, tools } = probed({ resumable: resumable === 'yes' });
      const on = daemon(tools);
      const id = await jobOf(on.start('probe', { topic: 'slow' }, BACKGROUND));
      await settled();
      // The machine's time goes on while nothing runs; then a call comes before any heartbeat.
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

  test('an end that meets such a claim is stored with the new lease', async () => {
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

  verifies('jobs:resumed', 'who is alone takes over at once what another had begun', async () => {
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
  });

  verifies(
    'jobs:leased',
    'among others, what a dead one had is taken over when its time is up',
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
