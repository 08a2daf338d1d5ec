import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import {
  createJobsHarness,
  jobOf,
  JOB_MS,
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

describe('in the background', () => {
  verifies(
    'jobs:background',
    'a call is stored before it is acknowledged, and nothing runs before that',
    async () => {
      const { store, daemon, probe, tools } = probed();
      const on = daemon(tools);
      const { letGo } = store.hold('enqueue');
      const call = on.start('probe', { topic: 'x' }, BACKGROUND);
      expect(await stateOf(call)).toBe('open');
      expect(probe.runs).toHaveLength(0);
      letGo();
      const answer = await stateOf(call);
      expect(answer).toMatchObject({
        envelope: { status: 'running', req_id: call.reqId, job: { status: 'queued' } },
        text: expect.stringContaining('runs in the background as job') as string,
      });
      const id = await jobOf(call);
      expect(probe.run().args).toEqual({ topic: 'x' });
      expect(await on.jobs.get('local', id)).toMatchObject({ status: 'running', runs: 1 });
      probe.run().answer({ text: 'quick' });
      await settled();
      const { status, answer: told } = await on.jobs.get('local', id);
      expect(status).toBe('done');
      expect(told).toMatchObject({ text: 'quick', envelope: { req_id: call.reqId } });
    },
  );

  test('a job that is stored late, after its client heard that it is not, is cancelled', async () => {
    const { store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    store.fail('enqueue', 1, 'afterwards');
    expect(await stateOf(on.start('probe', {}, BACKGROUND))).toMatchObject({
      error: { class: 'network' },
    });
    await settled();
    expect(probe.runs).toHaveLength(0);
    expect(await on.jobs.list('local', 10)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('a call that cannot be stored is refused, and not run', async () => {
    const { store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    store.fail('enqueue', 1);
    expect(await stateOf(on.start('probe', {}, BACKGROUND))).toMatchObject({
      error: { class: 'over_capacity' },
    });
    expect(probe.runs).toHaveLength(0);
    expect(await on.jobs.list('local', 10)).toEqual([]);
  });

  test('a call with invalid arguments does not become a job', async () => {
    const { daemon, tools, store } = probed();
    const call = daemon(tools).start('probe', { topik: 'x' }, BACKGROUND);
    expect(await stateOf(call)).toMatchObject({ error: { class: 'validation' } });
    expect(store.done).toEqual([]);
  });

  verifies('jobs:cancelled', 'a job cancelled while it is being stored never runs', async () => {
    const { store, daemon, probe, tools } = probed();
    const on = daemon(tools);
    const { letGo } = store.hold('enqueue');
    const call = on.start('probe', {}, BACKGROUND);
    await settled();
    call.cancel();
    letGo();
    expect(await stateOf(call)).toMatchObject({ error: { class: 'cancelled' } });
    expect(await on.jobs.list('local', 10)).toMatchObject([{ status: 'cancelled' }]);
    expect(probe.runs).toHaveLength(0);
  });

  test('a limited number runs at once, oldest first, and the rest waits', async () => {
    const { clock, daemon, probe, tools } = probed();
    const on = daemon(tools, { running: 2 });
    const ids = [];
    for (let topic = 0; topic < 5; topic += 1) {
      ids.push(await jobOf(on.start('probe', { topic: `${topic}` }, BACKGROUND)));
      clock.advance(1);
    }
    await settled();
    expect(probe.runs.map(({ args }) => args['topic'])).toEqual(['0', '1']);
    expect(await on.jobs.get('local', ids[4] ?? '')).toMatchObject({ status: 'queued', runs: 0 });
    for (let run = 0; run < 5; run += 1) {
      probe.run(run).answer();
      await settled();
    }
    expect(probe.runs.map(({ args }) => args['topic'])).toEqual(['0', '1', '2', '3', '4']);
    const open = await on.jobs.list('local', 10, { open: true });
    expect(open).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  verifies(
    'jobs:background',
    'a job refused for capacity goes back to the queue, and runs when there is room',
    async () => {
      const { clock, store, daemon, probe, tools } = probed({ pool: 'provider' });
      const on = daemon(tools, { limits: { global: 1 }, maxWaiting: 0 });
      const inTheWay = on.start(
        'probe',
        { topic: 'in the way' },
        { background: undefined as never },
      );
      const id = await jobOf(on.start('probe', { topic: 'later' }, BACKGROUND));
      await pass(clock, 60_000, 500);
      expect(await on.jobs.get('local', id)).toMatchObject({ status: 'queued', runs: 0 });
      expect(probe.runs).toHaveLength(1);
      // It retries every 1.5 s, by Retry-After, and not as fast as it can.
      expect(store.done.filter((name) => name === 'claim').length).toBeLessThan(100);
      probe.run().answer();
      await inTheWay.answer;
      await pass(clock, 2000, 500);
      expect(probe.runs).toHaveLength(2);
      probe.run(1).answer({ text: 'had its turn' });
      await settled();
      expect(await on.jobs.get('local', id)).toMatchObject({ answer: { text: 'had its turn' } });
    },
  );

  verifies(
    'jobs:interrupted',
    'a tool that ran and itself reports over_capacity is not rerun',
    async () => {
      const { clock, daemon, probe, tools } = probed();
      const on = daemon(tools);
      const id = await jobOf(on.start('probe', {}, BACKGROUND));
      probe.run().fail(new CallError('over_capacity', 'The disk is full.'));
      await pass(clock, 10_000);
      expect(probe.runs).toHaveLength(1);
      expect(await on.jobs.get('local', id)).toMatchObject({
        status: 'failed',
        answer: { error: { class: 'over_capacity' } },
      });
    },
  );
});

describe('after a kill', () => {
  verifies(
    'jobs:resumed',
    'a resumable job continues from its last stored checkpoint',
    async () => {
      const { clock, daemon, probe, tools } = probed({ resumable: true });
      const first = daemon(tools);
      const call = first.start('probe', { topic: 'x' });
      const caller = { principal: 'local', scopes: ['*'], roots: [] };
      probe.run().context.checkpoint({ heard: 1 });
      await pass(clock, 45_000);
      const id = await jobOf(call);
      probe.run().context.checkpoint({ heard: 2 });
      probe.run().context.progress({ note: 'asking the third', text: 'So far so good' });
      await pass(clock, 6000);
      probe.run().context.checkpoint({ heard: 3 });
      first.kill();

      const second = daemon(tools);
      await second.begin();
      await settled();
      const { context, args } = probe.run(1);
      expect(args).toEqual({ topic: 'x' });
      expect(context.resumedFrom).toEqual({ heard: 2 });
      expect(context.caller).toEqual(caller);
      // Since its work began, and not since it became a job.
      expect(context.deadline.at).toBe(JOB_MS);
      expect(await second.jobs.get('local', id)).toMatchObject({
        status: 'running',
        runs: 2,
        progress: { note: 'asking the third', text: 'So far so good' },
      });
      // What it says from now on is the answer from its beginning.
      context.progress({ text: 'So' });
      expect(await second.jobs.get('local', id)).toMatchObject({
        progress: { chars: 2, text: 'So' },
      });
      context.checkpoint({ heard: 4 });
      probe.run(1).answer({ text: 'all of it' });
      await settled();
      expect(await second.jobs.get('local', id)).toMatchObject({
        status: 'done',
        answer: { text: 'all of it' },
      });
      // Late output of the dead daemon is ignored.
      probe.run(0).answer({ text: 'a ghost' });
      await pass(clock, 60_000, 5000);
      expect(await second.jobs.get('local', id)).toMatchObject({ answer: { text: 'all of it' } });
    },
  );

  verifies(
    'jobs:interrupted',
    'one that is not resumable ends, with its partial text',
    async () => {
      const { clock, daemon, probe, tools } = probed();
      const first = daemon(tools);
      const ids = [first.start('probe', { topic: 'a' }), first.start('probe', { topic: 'b' })];
      probe.run(0).context.progress({ text: 'Half an ans' });
      await pass(clock, 45_000);
      const [talking, silent] = await Promise.all(ids.map(jobOf));
      first.kill();
      const second = daemon(tools);
      await second.begin();
      await settled();
      expect(probe.runs).toHaveLength(2);
      const { status, answer } = await second.jobs.get('local', talking ?? '');
      expect(status).toBe('failed');
      expect(answer).toMatchObject({
        error: { class: 'interrupted' },
        text: expect.stringMatching(/is here\. Try again\.\n\nHalf an ans$/) as string,
        envelope: { status: 'error', error_class: 'interrupted', content: 'Half an ans' },
      });
      expect((await second.jobs.get('local', silent ?? '')).answer).toMatchObject({
        text: expect.stringMatching(/ Try again\.$/) as string,
        envelope: { content: null },
      });
    },
  );

  test('a job that had not started runs, whatever its tool', async () => {
    const { daemon, probe, tools } = probed();
    const first = daemon(tools, { running: 1 });
    await jobOf(first.start('probe', { topic: 'runs' }, BACKGROUND));
    const id = await jobOf(first.start('probe', { topic: 'waits' }, BACKGROUND));
    first.kill();
    const second = daemon(tools);
    await second.begin();
    await settled();
    expect(probe.runs.map(({ args }) => args['topic'])).toEqual(['runs', 'waits']);
    expect(await second.jobs.get('local', id)).toMatchObject({ status: 'running' });
  });

  verifies('jobs:resumed', 'a job that crashes its daemon is run four times at most', async () => {
    const { clock, daemon, probe, tools } = probed({ resumable: true });
    let on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    for (let kill = 0; kill < 6; kill += 1) {
      on.kill();
      clock.advance(1000);
      on = daemon(tools);
      await on.begin();
      await settled();
    }
    expect(probe.runs).toHaveLength(4);
    const message = 'The daemon stopped 4 times while probe ran, so the job is not run again.';
    expect(await on.jobs.get('local', id)).toMatchObject({
      status: 'failed',
      answer: { error: { class: 'interrupted', message } },
    });
  });

  test('a job whose arguments are too long to store is a job, but cannot be rerun', async () => {
    const { clock, daemon, probe, tools, store } = probed({ resumable: true });
    const first = daemon(tools);
    const fine = first.start('probe', { topic: 'x'.repeat(1_048_500) });
    const large = first.start('probe', { topic: 'y'.repeat(1_048_577) });
    await pass(clock, 45_000);
    const ids = [await jobOf(fine), await jobOf(large)];
    const rows = await Promise.all(ids.map((id) => store.get(id, 'local')));
    const sizes = rows.map((row) => JSON.stringify(row?.input).length > 1_000_000);
    expect(sizes).toEqual([true, false]);
    first.kill();
    const second = daemon(tools);
    await second.begin();
    await settled();
    expect(probe.runs).toHaveLength(3);
    probe.run(2).answer({ text: 'whole' });
    await settled();
    const jobs = await Promise.all(ids.map((id) => second.jobs.get('local', id)));
    expect(jobs.map(({ answer }) => answer?.error?.class ?? answer?.text)).toEqual([
      'whole',
      'interrupted',
    ]);
  });

  test('a tool that no longer exists is reported', async () => {
    const { daemon, tools } = probed({ resumable: true });
    const first = daemon(tools);
    const id = await jobOf(first.start('probe', {}, BACKGROUND));
    first.kill();
    const second = daemon([]);
    await second.begin();
    await settled();
    expect(await second.jobs.get('local', id)).toMatchObject({
      status: 'failed',
      answer: { error: { class: 'not_found', message: 'There is no tool probe any more.' } },
    });
  });

  verifies('jobs:deadline', 'time used by earlier runs counts', async () => {
    const { clock, daemon, probe, tools } = probed({ resumable: true, timeoutMs: 90_000 });
    let on = daemon(tools);
    const id = await jobOf(on.start('probe', {}, BACKGROUND));
    probe.run().context.progress({ text: 'Something' });
    await pass(clock, JOB_MS - 30_000, 60_000);
    on.kill();
    on = daemon(tools);
    await on.begin();
    await settled();
    await pass(clock, 29_000);
    expect(probe.run(1).context.signal.aborted).toBe(false);
    on.kill();
    clock.advance(1000);
    on = daemon(tools);
    await on.begin();
    await settled();
    expect(probe.runs).toHaveLength(2);
    expect((await on.jobs.get('local', id)).answer).toMatchObject({
      error: { class: 'timeout' },
      envelope: { content: 'Something' },
    });
  });

  verifies(
    'jobs:deadline',
    'a rerun has the remaining time, if that is less than its own',
    async () => {
      const { clock, daemon, probe, tools } = probed({ resumable: true, timeoutMs: 90_000 });
      const first = daemon(tools);
      const id = await jobOf(first.start('probe', {}, BACKGROUND));
      await pass(clock, JOB_MS - 30_000, 60_000);
      first.kill();
      const second = daemon(tools);
      await second.begin();
      await settled();
      await pass(clock, 30_000, 5000);
      expect(probe.run(1).context.signal.aborted).toBe(true);
      expect(await second.jobs.get('local', id)).toMatchObject({
        answer: { error: { class: 'timeout' } },
      });
    },
  );

  test.each<{ what: string; input: Json }>([
    { what: 'nothing', input: null },
    { what: 'a text', input: 'probe' },
    { what: 'a list', input: [1] },
    { what: 'no caller', input: { reqId: 'req_1', tool: 'probe', args: {}, askable: [] } },
    {
      what: 'half a caller',
      input: {
        reqId: 'req_1',
        tool: 'probe',
        args: {},
        askable: [],
        caller: { principal: 'local' },
      },
    },
  ])('a row with $what ends, and other jobs continue', async ({ input }) => {
    const { store, daemon, probe, tools } = probed();
    await store.enqueue({
      id: 'job_1k75q0acq000zzzzzzzzzz',
      principal: 'local',
      tool: 'probe',
      input,
    });
    const on = daemon(tools);
    await on.begin();
    await settled();
    expect(await on.jobs.get('local', 'job_1k75q0acq000zzzzzzzzzz')).toMatchObject({
      status: 'failed',
      reqId: '',
      answer: { error: { class: 'internal' } },
    });
    await jobOf(on.start('probe', {}, BACKGROUND));
    await settled();
    expect(probe.runs).toHaveLength(1);
  });
});
