import { describe, expect, test } from 'vitest';
import { LightAbortController } from '#core/net/abort.ts';
import type { Job, JobEvent } from '#core/calls/jobs.ts';
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
const NO_ID = 'job_1k75q0acq000zzzzzzzzzz';

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

const refusal = (running: Promise<unknown>) =>
  running.then(
    () => expect.unreachable('it was not refused'),
    (error: { class: string; message: string; field?: string }) => [error.class, error.field],
  );

const background = (on: JobsDaemon, more: object = {}) =>
  jobOf(on.start('probe', {}, { ...BACKGROUND, ...more }));

describe('ownership of jobs', () => {
  test.each(['get', 'wait', 'cancel', 'answer'] as const)(
    '%s knows nothing of the jobs of others, nor of ids that are none',
    async (name) => {
      const { daemon, tools, probe } = probed();
      const on = daemon(tools);
      const id = await background(on);
      const signal = new LightAbortController();
      const act = (principal: string, job: string) => {
        if (name === 'get') return on.jobs.get(principal, job);
        if (name === 'wait') return on.jobs.wait(principal, job, 1000, signal);
        if (name === 'cancel') return on.jobs.cancel(principal, job);
        return on.jobs.answer(principal, job, 1, {});
      };
      expect((await refusal(act('mallory', id)))[0]).toBe('not_found');
      expect((await refusal(act('local', NO_ID)))[0]).toBe('not_found');
      for (const bad of [
        '',
        'job_',
        'req_1k75q0acq000zzzzzzzzzz',
        '__proto__',
        'job_'.repeat(9999),
      ]) {
        expect(await refusal(act('local', bad))).toEqual(['validation', 'job_id']);
      }
      expect(probe.run().context.signal.aborted).toBe(false);
      expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running' });
    },
  );

  test('a list has the principal’s own jobs with their current progress', async () => {
    const { clock, daemon, tools, probe } = probed();
    const on = daemon(tools);
    const ids = [await background(on)];
    clock.advance(1);
    ids.push(await background(on));
    await background(on, { caller: { principal: 'mallory', scopes: ['*'], roots: [] } });
    await settled();
    probe.run(0).context.progress({ note: 'half way' });
    probe.run(1).answer();
    await settled();
    const mine = await on.jobs.list('local', 10);
    expect(mine.map(({ id, status, note }) => [id, status, note])).toEqual([
      [ids[1], 'done', ''],
      [ids[0], 'running', 'half way'],
    ]);
    expect(await on.jobs.list('local', 10, { open: true })).toHaveLength(1);
    expect(await on.jobs.list('eve', 10)).toEqual([]);
  });

  test('an unreadable stored result gives no answer', async () => {
    const { store, daemon, tools } = probed();
    const job = { id: NO_ID, principal: 'local', tool: 'probe', input: 'garbage' } as const;
    let made = 0;
    for (const result of [{}, { text: 5 }, [], 'done', { text: 'x' }]) {
      const other = { ...job, id: `job_1k75q0acq000zzzzzzzzz${++made}` as const };
      const lease = await store.adopt(other, 'another', 1000);
      await store.finish(lease, { status: 'done', result });
      const { answer, reqId, status } = await daemon(tools).jobs.get('local', other.id);
      expect([answer, reqId, status]).toEqual([undefined, '', 'done']);
    }
  });
});

describe('cancelling', () => {
  verifies('jobs:cancelled', 'a running job stops, and cancelling twice is the same', async () => {
    const { clock, daemon, tools, probe, store } = probed();
    const on = daemon(tools);
    const id = await background(on);
    expect(await on.jobs.cancel('local', id)).toBe('cancelled');
    expect(probe.run().context.signal.aborted).toBe(true);
    expect(await on.jobs.cancel('local', id)).toBe('already_over');
    probe.run().answer({ text: 'nobody wants it' });
    await pass(clock, 20_000);
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'cancelled',
      answer: undefined,
    });
    expect(store.done).not.toContain('finish');
  });

  verifies('jobs:cancelled', 'a queued job never starts', async () => {
    const { daemon, tools, probe } = probed();
    const on = daemon(tools, { running: 1 });
    await background(on);
    const id = await background(on);
    expect(await on.jobs.cancel('local', id)).toBe('cancelled');
    probe.run().answer();
    await settled();
    expect(probe.runs).toHaveLength(1);
  });

  verifies('jobs:cancelled', 'a finished job keeps its result', async () => {
    const { daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on);
    probe.run().answer({ text: 'kept' });
    await settled();
    expect(await on.jobs.cancel('local', id)).toBe('already_over');
    expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'kept' } });
  });

  verifies('jobs:cancelled', 'a job of another daemon stops at its next heartbeat', async () => {
    const { clock, daemon, tools, probe } = probed();
    const on = daemon(tools, { among: 'others' });
    const id = await background(on);
    const other = daemon(tools, { among: 'others' });
    expect(await other.jobs.cancel('local', id)).toBe('cancelled');
    await pass(clock, 6000);
    expect(probe.run().context.signal.aborted).toBe(true);
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'cancelled' });
  });

  test('a result that is being stored at that moment wins or is not stored', async () => {
    const { daemon, tools, probe, store } = probed();
    const on = daemon(tools);
    const id = await background(on);
    const { letGo } = store.hold('finish');
    probe.run().answer({ text: 'a moment too late' });
    await settled();
    expect(await on.jobs.cancel('local', id)).toBe('cancelled');
    letGo();
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'cancelled',
      answer: undefined,
    });
  });
});

describe('waiting', () => {
  const waiting = (on: JobsDaemon, id: string, ms: number, signal = new LightAbortController()) => {
    const seen: { job?: Job } = {};
    void on.jobs.wait('local', id, ms, signal).then((job) => (seen.job = job));
    return seen;
  };

  test('ends with the job, at once', async () => {
    const { clock, daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on);
    const seen = waiting(on, id, 30_000);
    await pass(clock, 10_000);
    expect(seen.job).toBeUndefined();
    probe.run().answer();
    await settled();
    expect(seen.job).toMatchObject({ status: 'done', answer: { text: 'done' } });
    expect(clock.waiting).toBe(0);
  });

  test('ends after its time with the current state, and does not poll meanwhile', async () => {
    const { clock, daemon, tools, probe, store } = probed();
    const on = daemon(tools);
    const id = await background(on);
    probe.run().context.progress({ note: 'one' });
    const seen = waiting(on, id, 8000);
    await pass(clock, 7999);
    expect(seen.job).toBeUndefined();
    expect(store.done.filter((name) => name === 'get')).toHaveLength(1);
    await pass(clock, 1);
    expect(seen.job).toMatchObject({ status: 'running', progress: { note: 'one' } });
  });

  test('for a finished job, or with no time, ends at once', async () => {
    const { daemon, tools, probe, clock } = probed();
    const on = daemon(tools);
    const id = await background(on);
    const open = waiting(on, id, 0);
    await settled();
    expect(open.job).toMatchObject({ status: 'running' });
    probe.run().answer();
    await settled();
    const over = waiting(on, id, 60_000);
    await settled();
    expect(over.job).toMatchObject({ status: 'done' });
    expect(clock.waiting).toBe(0);
  });

  test('ends when its signal aborts', async () => {
    const { daemon, tools, clock } = probed();
    const on = daemon(tools);
    const id = await background(on);
    const signal = new LightAbortController();
    const seen = waiting(on, id, 60_000, signal);
    await settled();
    const before = clock.waiting;
    signal.abort('gone');
    await settled();
    expect(seen.job).toMatchObject({ status: 'running' });
    expect(clock.waiting).toBe(before - 1);
    const late = waiting(on, id, 60_000, signal);
    await settled();
    expect(late.job).toMatchObject({ status: 'running' });
  });

  test('polls a job of another daemon', async () => {
    const { clock, daemon, tools, probe, store } = probed();
    const on = daemon(tools, { among: 'others' });
    const id = await background(on);
    const other = daemon(tools, { among: 'others' });
    const seen = waiting(other, id, 60_000);
    await pass(clock, 9000);
    expect(store.done.filter((name) => name === 'get')).toHaveLength(5);
    probe.run().answer();
    await settled();
    await pass(clock, 2000);
    expect(seen.job).toMatchObject({ status: 'done' });
  });

  test('ends when the job is cancelled, also while it is queued', async () => {
    const { daemon, tools } = probed();
    const on = daemon(tools, { running: 1 });
    const ids = [await background(on), await background(on)];
    const seen = ids.map((id) => waiting(on, id, 60_000));
    await settled();
    for (const id of ids.toReversed()) await on.jobs.cancel('local', id);
    await settled();
    expect(seen.map(({ job }) => job?.status)).toEqual(['cancelled', 'cancelled']);
  });
});

test('listeners are notified of every status change, of throttled progress, and of nothing after they unsubscribe', async () => {
  const { clock, daemon, tools, probe } = probed();
  const on = daemon(tools);
  const heard: JobEvent[] = [];
  const stop = on.jobs.onChange((news) => heard.push(news));
  const id = await background(on);
  for (let step = 0; step < 100; step += 1) {
    probe.run().context.progress({ text: '.' });
    clock.advance(30);
  }
  probe.run().answer();
  await settled();
  expect(heard.map(({ what }) => what)).toEqual([
    'status',
    'status',
    'progress',
    'progress',
    'progress',
    'status',
  ]);
  expect(heard.every((news) => news.id === id && news.principal === 'local')).toBe(true);
  stop();
  await background(on);
  expect(heard).toHaveLength(6);
});
