import { describe, expect, test } from 'vitest';
import type { BackgroundPolicy } from '#core/calls/calls.ts';
import { signalAt } from '#core/time/deadline.ts';

import {
  createJobsHarness,
  INLINE_MS,
  JOB_MS,
  jobOf,
  pass,
  probeTool,
  settled,
  stateOf,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { background: 'auto', coalesce: false } as const;

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const world = createJobsHarness();
  const probe = probeTool({ ...LONG, ...about });
  return { ...world, probe, tool: probe.tool, on: world.daemon([probe.tool]) };
}

describe('the caller waits', () => {
  const patience = (afterMs: number, as: BackgroundPolicy['as'] = 'job') => ({
    background: { afterMs, as },
  });

  test.each([
    { who: 'a plain client', more: patience(INLINE_MS), ms: INLINE_MS },
    { who: 'one that hears of progress', more: patience(280_000), ms: 280_000 },
    { who: 'one that follows tasks', more: patience(5000, 'task'), ms: 5000 },
    { who: 'one with little time', more: patience(700), ms: 700 },
  ])('$who gets a job after $ms ms, and not before [jobs:handed-off]', async ({ more, ms }) => {
    const { clock, on, store } = probed();
    const call = on.start('probe', {}, more);
    await pass(clock, ms - 1, 50_000);
    expect(await stateOf(call)).toBe('open');
    expect(store.done).toEqual([]);
    clock.advance(1);
    expect(await stateOf(call)).toMatchObject({ envelope: { status: 'running' } });
    expect(store.done).toEqual(['adopt']);
  });

  test.each([
    { as: 'task', ms: 100 },
    { as: 'job', ms: 5000 },
  ] as const)('a tool for tasks is handed off as $as after $ms ms', async ({ as, ms }) => {
    const { clock, on } = probed({ background: 'immediate' });
    const call = on.start('probe', {}, patience(5000, as));
    clock.advance(ms - 1);
    expect(await stateOf(call)).toBe('open');
    clock.advance(1);
    expect(await stateOf(call)).toMatchObject({ envelope: { status: 'running' } });
  });

  test('a caller that waits as long as it takes gets the answer itself', async () => {
    const { clock, on, store, probe } = probed();
    const call = on.start('probe', {}, patience(Infinity));
    await pass(clock, 3_000_000, 60_000);
    probe.run().answer({ text: 'at last' });
    expect(await stateOf(call)).toMatchObject({ text: 'at last' });
    expect(store.done).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test.each([
    { about: { background: 'never' } as const, more: {} },
    { about: {}, more: { kind: 'operation' } as const },
  ])('a call that cannot be detached never is: $about $more', async ({ about, more }) => {
    const { on, store, clock } = probed(about);
    const call = on.start('probe', {}, more);
    expect(call).not.toHaveProperty('detach');
    await pass(clock, JOB_MS, 60_000);
    expect(await stateOf(call)).toHaveProperty('error');
    expect(store.done).toEqual([]);
  });

  test('a transport without a background policy waits as before', async () => {
    const { on, probe, store } = probed();
    const call = on.calls.start({
      tool: 'probe',
      args: {},
      caller: { principal: 'ann', scopes: ['*'], roots: [] },
      transport: 'ws',
      session: 's',
    });
    probe.run().answer();
    expect(await stateOf(call)).toMatchObject({ text: 'done' });
    expect(store.done).toEqual([]);
  });

  test('an answer in time costs no write and leaves no timer', async () => {
    const { clock, on, probe, store } = probed();
    const call = on.start('probe');
    probe.run().answer();
    expect(await stateOf(call)).toMatchObject({ text: 'done' });
    expect(clock.waiting).toBe(0);
    expect(store.done).toEqual([]);
  });

  test('progress and admission may come before the transport knows the call', async () => {
    const world = createJobsHarness();
    const steps: unknown[] = [];
    const eager = probeTool({ ...LONG, name: 'eager' });
    const on = world.daemon([
      {
        ...eager.tool,
        run: async (_args, context) => {
          context.progress({ note: 'begun' });
          return { text: 'at once' };
        },
      },
    ]);
    const call = on.start('eager', {}, { onProgress: (step) => steps.push(step) });
    expect(await stateOf(call)).toMatchObject({ text: 'at once' });
    expect(steps).toEqual([{ note: 'begun' }]);
  });
});

verifies(
  'jobs:handed-off',
  'the running result tells a model how to continue, and the complete answer is available afterwards',
  async () => {
    const { clock, on, probe } = probed();
    const steps: unknown[] = [];
    const call = on.start('probe', { topic: 'x' }, { onProgress: (step) => steps.push(step) });
    probe.run().context.progress({ note: 'asking kimi-k3', done: 1, total: 3, text: 'So far' });
    clock.advance(INLINE_MS);
    const { envelope, text, error } = await call.answer;
    const { job } = envelope;
    expect(envelope).toEqual({
      status: 'running',
      tool: 'probe',
      attempt: 0,
      req_id: call.reqId,
      detail: text,
      content: null,
      job: {
        id: expect.stringMatching(/^job_/) as string,
        status: 'running',
        tool: 'probe',
        created_at: '2025-10-10T00:05:49.591Z',
        note: 'asking kimi-k3',
        poll_ms: 5000,
      },
    });
    expect(error).toBeUndefined();
    expect(text).toContain(`job_result with {"job_id": "${job?.id}"}`);
    expect(text).toContain('So far it has written 6 characters');

    const id = job?.id ?? '';
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'running',
      reqId: call.reqId,
      progress: { note: 'asking kimi-k3', done: 1, total: 3, chars: 6, text: 'So far' },
      runs: 1,
      answer: undefined,
    });
    // The caller still hears of it if it cares to.
    probe.run().context.progress({ text: ' and more' });
    expect(steps).toHaveLength(2);
    const content = { verdict: 'yes', list: [1, 2] };
    const blocks = [{ type: 'text', text: 'a block' } as const];
    probe.run().answer({ text: 'The answer', content, blocks, detail: 'a notice' });
    await settled();
    const over = await on.jobs.get('local', id);
    expect(over).toMatchObject({
      status: 'done',
      finishedAt: clock.now(),
      retentionMs: 604_800_000,
    });
    expect(over.answer).toEqual({
      text: 'The answer',
      blocks,
      envelope: {
        status: 'success',
        tool: 'probe',
        attempt: 0,
        req_id: call.reqId,
        detail: 'a notice',
        content,
      },
    });
    expect(clock.waiting).toBe(0);
  },
);

describe('the deadline', () => {
  verifies(
    'jobs:deadline',
    'a tool with a limit of 90 s continues as a job until the job’s own timeout',
    async () => {
      const { clock, on, probe } = probed({ timeoutMs: 90_000 });
      const id = jobOf(on.start('probe'));
      await pass(clock, INLINE_MS, 5000);
      const { deadline, signal } = probe.run().context;
      expect(deadline.at).toBe(JOB_MS);
      await pass(clock, JOB_MS - INLINE_MS - 1, 60_000);
      expect(signal.aborted).toBe(false);
      expect(await on.jobs.get('local', await id)).toMatchObject({ status: 'running' });
      clock.advance(1);
      await settled();
      expect(signal.aborted).toBe(true);
      const { status, answer } = await on.jobs.get('local', await id);
      expect([status, answer?.error?.class]).toEqual(['failed', 'timeout']);
    },
  );

  verifies(
    'jobs:deadline',
    'a caller that receives progress gets the timeout of a job even before the call becomes one',
    async () => {
      const { clock, on, probe } = probed({ timeoutMs: 90_000 });
      const more = { background: { afterMs: 280_000, as: 'job' } } as const;
      const call = on.start('probe', {}, more);
      await pass(clock, INLINE_MS - 1, 5000);
      expect(probe.run().context.deadline.at).toBe(90_000);
      await pass(clock, 200_000, 5000);
      expect(await stateOf(call)).toBe('open');
      probe.run().answer({ text: 'inline after all' });
      expect(await stateOf(call)).toMatchObject({ text: 'inline after all' });
    },
  );

  verifies(
    'jobs:deadline',
    'work started before the call was detached gets that timeout, too',
    async () => {
      const { clock, on, probe } = probed({ timeoutMs: 90_000 });
      on.start('probe');
      const { deadline } = probe.run().context;
      const attempt = signalAt(
        {
          get at() {
            return deadline.at - 1000;
          },
        },
        clock,
      );
      await pass(clock, JOB_MS - 1001, 20_000);
      expect(attempt.signal.aborted).toBe(false);
      clock.advance(1);
      expect(attempt.signal.aborted).toBe(true);
    },
  );

  test('a client’s own limit is respected', async () => {
    const { clock, on, store } = probed();
    const more = { timeoutMs: 10_000, background: { afterMs: INLINE_MS, as: 'job' } } as const;
    const call = on.start('probe', {}, more);
    await pass(clock, 10_000);
    expect(await stateOf(call)).toMatchObject({ error: { class: 'timeout' } });
    expect(store.done).toEqual([]);
  });
});

describe('while the row is written', () => {
  verifies('jobs:handed-off', 'no id is returned before the job is stored', async () => {
    const { clock, on, store } = probed();
    const { letGo } = store.hold('adopt');
    const call = on.start('probe');
    await pass(clock, INLINE_MS + 20_000, 5000);
    expect(await stateOf(call)).toBe('open');
    letGo();
    expect(await stateOf(call)).toMatchObject({ envelope: { status: 'running' } });
  });

  test('an answer that comes first is returned at once, and the job ends with it', async () => {
    const { clock, on, probe, store } = probed();
    const { letGo } = store.hold('adopt');
    const call = on.start('probe');
    clock.advance(INLINE_MS);
    await settled();
    probe.run().answer({ text: 'just in time' });
    expect(await stateOf(call)).toMatchObject({
      text: 'just in time',
      envelope: { status: 'success' },
    });
    letGo();
    await settled();
    const [job] = await on.jobs.list('local', 10);
    expect(await on.jobs.get('local', job?.id ?? '')).toMatchObject({
      status: 'done',
      answer: { text: 'just in time' },
    });
    expect(clock.waiting).toBe(0);
  });

  test('a cancellation is answered at once, too', async () => {
    const { clock, on, probe, store } = probed();
    const { letGo } = store.hold('adopt');
    const call = on.start('probe');
    clock.advance(INLINE_MS);
    await settled();
    call.cancel();
    expect(await stateOf(call)).toMatchObject({ error: { class: 'cancelled' } });
    letGo();
    await settled();
    expect(await on.jobs.list('local', 10)).toMatchObject([{ status: 'cancelled' }]);
    expect(probe.run().context.signal.aborted).toBe(true);
  });
});

describe('a store that fails', () => {
  verifies(
    'jobs:durable',
    'the caller keeps waiting, and the call is detached when the store works again',
    async () => {
      const { clock, on, store, probe } = probed({ timeoutMs: 90_000 });
      store.fail('adopt', 7);
      const call = on.start('probe');
      await pass(clock, INLINE_MS + 69_000, 1000);
      expect(await stateOf(call)).toBe('open');
      await pass(clock, 1000);
      expect(store.done).toEqual(Array(8).fill('adopt'));
      const id = await jobOf(call);
      probe.run().answer({ text: 'whole' });
      await settled();
      expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'whole' } });
    },
  );

  test('an answer that comes before that is returned inline, and storing is not tried again', async () => {
    const { clock, on, store, probe } = probed();
    store.fail('adopt', 100);
    const call = on.start('probe');
    await pass(clock, INLINE_MS + 5000);
    probe.run().answer();
    expect(await stateOf(call)).toMatchObject({ text: 'done' });
    expect(clock.waiting).toBe(0);
  });

  verifies(
    'jobs:durable',
    'a row that was written despite an error is used, and no second one is created',
    async () => {
      const { clock, on, store, probe } = probed();
      store.fail('adopt', 1, 'afterwards');
      const call = on.start('probe');
      await pass(clock, INLINE_MS + 9000);
      expect(await stateOf(call)).toBe('open');
      await pass(clock, 1000);
      const id = await jobOf(call);
      store.fail('finish', 1, 'afterwards');
      probe.run().answer({ text: 'once' });
      await pass(clock, 60_000, 5000);
      expect(await on.jobs.list('local', 10)).toMatchObject([{ id, status: 'done', runs: 1 }]);
      expect(clock.waiting).toBe(0);
    },
  );

  test('a row that cannot be discarded does not affect the answer, and is discarded later', async () => {
    const { clock, on, store, probe } = probed();
    const { letGo } = store.hold('adopt');
    store.fail('cancel', 2);
    const call = on.start('probe');
    clock.advance(INLINE_MS);
    await settled();
    expect(probe.runs).toHaveLength(1);
    call.cancel();
    expect(await stateOf(call)).toMatchObject({ error: { class: 'cancelled' } });
    letGo();
    await pass(clock, 60_000);
    expect(await on.jobs.list('local', 10)).toMatchObject([{ status: 'cancelled' }]);
    expect(clock.waiting).toBe(0);
  });
});

describe('several callers of one shared execution', () => {
  verifies('jobs:handed-off', 'each gets its own job, with the shared answer', async () => {
    const { clock, on, probe } = probed({ coalesce: true, timeoutMs: 90_000 });
    const first = on.start('probe');
    clock.advance(20_000);
    const second = on.start('probe');
    await pass(clock, 25_000);
    expect(await stateOf(second)).toBe('open');
    await pass(clock, 20_000);
    const ids = [await jobOf(first), await jobOf(second)];
    expect(new Set(ids).size).toBe(2);
    expect(probe.runs).toHaveLength(1);
    await on.jobs.cancel('local', ids[0] ?? '');
    expect(probe.run().context.signal.aborted).toBe(false);
    await pass(clock, 600_000, 5000);
    probe.run().answer({ text: 'one for both' });
    await settled();
    const jobs = await Promise.all(ids.map((id) => on.jobs.get('local', id)));
    expect(jobs.map(({ status, answer }) => [status, answer?.text])).toEqual([
      ['cancelled', undefined],
      ['done', 'one for both'],
    ]);
  });
});
