import { describe, expect, test } from 'vitest';
import type { InputRequest } from '#core/tools/input-request.ts';
import {
  createJobsHarness,
  jobOf,
  JOB_MS,
  pass,
  probeTool,
  settled,
  type JobsDaemon,
} from '../../test/jobs-harness.ts';
import { verifies } from '../../test/verifies.ts';

const LONG = { background: 'auto', coalesce: false } as const;
const BACKGROUND = { background: { afterMs: 0, as: 'job' } } as const;
const NO_ID = 'job_1k75q0acq000zzzzzzzzzz';
const FORM: InputRequest = { is: 'form', message: 'Which?', schema: { type: 'object' } };

function probed(about: Parameters<typeof probeTool>[0] = {}) {
  const probe = probeTool({ ...LONG, ...about });
  return { ...createJobsHarness(), probe, tools: [probe.tool] };
}

const background = (on: JobsDaemon, more: object = {}) =>
  jobOf(on.start('probe', {}, { ...BACKGROUND, ...more }));

describe('a job that requests input', () => {
  const CAPABLE = { clientCapabilities: ['form', 'roots'] as const };
  const yes = (which: string) => ({ action: 'accept', content: { which } });

  verifies(
    'jobs:asks',
    'is answered in parts, over two rounds, and continues with all responses',
    async () => {
      const { daemon, tools, probe } = probed();
      const on = daemon(tools);
      const id = await background(on, CAPABLE);
      probe.run().answer({ inputRequests: { one: FORM, two: FORM } });
      await settled();
      const asking = await on.jobs.get('local', id);
      expect(asking).toMatchObject({ status: 'input_required', runs: 0, answer: undefined });
      expect(asking.pendingInput).toEqual({ round: 1, questions: { one: FORM, two: FORM } });

      // What it does not ask, what was answered already and another round's answers are passed
      // over.
      await on.jobs.answer('local', id, 1, { three: yes('c'), __proto__: yes('p') });
      await on.jobs.answer('local', id, 2, { one: yes('wrong round') });
      await on.jobs.answer('local', id, 1, { one: yes('a') });
      await on.jobs.answer('local', id, 1, { one: yes('again') });
      expect((await on.jobs.get('local', id)).pendingInput).toEqual({
        round: 1,
        questions: { two: FORM },
      });
      expect(probe.runs).toHaveLength(1);

      await on.jobs.answer('local', id, 1, { two: yes('b'), one: yes('again') });
      await settled();
      expect(probe.run(1).context.answers).toEqual({ one: yes('a'), two: yes('b') });
      probe.run(1).answer({ inputRequests: { one: FORM } });
      await settled();
      const secondRound = await on.jobs.get('local', id);
      expect(secondRound.pendingInput).toEqual({ round: 2, questions: { one: FORM } });
      await on.jobs.answer('local', id, 1, { one: yes('of the round before') });
      await on.jobs.answer('local', id, 2, { one: yes('c') });
      await settled();
      expect(probe.run(2).context.answers).toEqual({ one: yes('c'), two: yes('b') });
      probe.run(2).answer({ text: 'now I know' });
      await settled();
      expect(await on.jobs.get('local', id)).toMatchObject({
        status: 'done',
        pendingInput: undefined,
        answer: { text: 'now I know' },
      });
      await on.jobs.answer('local', id, 2, { one: yes('late') });
      expect(probe.runs).toHaveLength(3);
    },
  );

  verifies(
    'jobs:asks',
    'still waits for input after a restart, and accepts the responses then',
    async () => {
      const { daemon, tools, probe } = probed();
      const first = daemon(tools);
      const id = await background(first, CAPABLE);
      probe.run().answer({ inputRequests: { one: FORM, two: FORM } });
      await settled();
      await first.jobs.answer('local', id, 1, { one: yes('a') });
      first.kill();
      const second = daemon(tools);
      await second.begin();
      await settled();
      expect(await second.jobs.get('local', id)).toMatchObject({ status: 'input_required' });
      await second.jobs.answer('local', id, 1, { two: yes('b') });
      await settled();
      expect(probe.run(1).context.answers).toEqual({ one: yes('a'), two: yes('b') });
    },
  );

  verifies(
    'jobs:resumed',
    'and is interrupted after its responses is rerun with them',
    async () => {
      const { daemon, tools, probe } = probed({ resumable: true });
      const first = daemon(tools);
      const id = await background(first, CAPABLE);
      probe.run().answer({ inputRequests: { one: FORM } });
      await settled();
      await first.jobs.answer('local', id, 1, { one: yes('a') });
      await settled();
      expect(probe.runs).toHaveLength(2);
      first.kill();
      const second = daemon(tools);
      await second.begin();
      await settled();
      expect(probe.run(2).context.answers).toEqual({ one: yes('a') });
    },
  );

  verifies('jobs:resumed', 'before it is a job keeps those responses', async () => {
    const { clock, daemon, tools, probe } = probed({ resumable: true });
    const first = daemon(tools);
    const call = first.start('probe', {}, CAPABLE);
    probe.run().answer({ inputRequests: { one: FORM } });
    const { inputRequired: asks } = await call.answer;
    const more = { ...CAPABLE, answers: { one: yes('a') }, state: asks?.state ?? '' };
    const second = first.start('probe', {}, more);
    await pass(clock, 45_000);
    await jobOf(second);
    first.kill();
    const next = daemon(tools);
    await next.begin();
    await settled();
    expect(probe.run(2).context.answers).toEqual({ one: yes('a') });
  });

  verifies('jobs:deadline', 'is not charged for the time that people take', async () => {
    const { clock, daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on, CAPABLE);
    await settled();
    await pass(clock, 600_000, 5000);
    probe.run().answer({ inputRequests: { one: FORM } });
    await settled();
    clock.advance(10 * JOB_MS);
    await on.jobs.answer('local', id, 1, { one: yes('after lunch') });
    await settled();
    await pass(clock, JOB_MS - 600_001, 60_000);
    expect(probe.run(1).context.signal.aborted).toBe(false);
    await pass(clock, 1);
    expect(probe.run(1).context.signal.aborted).toBe(true);
  });

  test('is answered by two clients at once, each in part', async () => {
    const { daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on, CAPABLE);
    probe.run().answer({ inputRequests: { one: FORM, two: FORM } });
    await settled();
    await Promise.all([
      on.jobs.answer('local', id, 1, { one: yes('a') }),
      on.jobs.answer('local', id, 1, { two: yes('b') }),
    ]);
    await settled();
    expect(probe.run(1).context.answers).toEqual({ one: yes('a'), two: yes('b') });
  });

  test('can be cancelled', async () => {
    const { daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on, CAPABLE);
    probe.run().answer({ inputRequests: { one: FORM } });
    await settled();
    expect(await on.jobs.cancel('local', id)).toBe('cancelled');
    await on.jobs.answer('local', id, 1, { one: yes('a') });
    await settled();
    expect(probe.runs).toHaveLength(1);
  });

  test('a request that no client can answer fails the job', async () => {
    const { daemon, tools, probe } = probed();
    const on = daemon(tools);
    const id = await background(on);
    probe.run().answer({ inputRequests: { one: FORM } });
    await settled();
    expect(await on.jobs.get('local', id)).toMatchObject({ status: 'failed' });
  });

  test.each([{ round: 1 }, { round: 'x', questions: {} }, 'asks', [], { round: 1, questions: [] }])(
    'unreadable stored input requests give none: %j',
    async (asks) => {
      const { store, daemon, tools } = probed();
      const job = { id: NO_ID, principal: 'local', tool: 'probe', input: null } as const;
      await store.ask(await store.adopt(job, 'another', 1000), asks);
      const on = daemon(tools);
      expect(await on.jobs.get('local', NO_ID)).toMatchObject({
        status: 'input_required',
        pendingInput: undefined,
      });
      await on.jobs.answer('local', NO_ID, 1, { one: yes('a') });
    },
  );
});
