import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import type { CallResult } from '#core/calls/calls.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import { failureResult } from '#core/calls/envelope.ts';
import { createJobBench, runWith, type JobBench } from './jobs.fixture.ts';
import { jobResult } from './job-result.ts';
import { verifies } from '../../../test/verifies.ts';

const DAY_MS = 86_400_000;
const DONE: CallResult = {
  envelope: { status: 'success', tool: 'consensus', attempt: 3, req_id: 'req_1', content: 'Yes.' },
  text: 'Yes.',
  blocks: [{ type: 'text', text: 'more' }],
};
const FORM = { is: 'form', message: 'Which?', schema: { type: 'object' } } as const;
const YES = { action: 'accept', content: { which: 'a' } };

function result(
  bench: JobBench,
  args: Record<string, unknown>,
  context: Parameters<JobBench['context']>[0] = {},
) {
  return runWith(jobResult(bench.deps), args, bench.context(context));
}

const refusal = (running: Promise<unknown>) =>
  running.then(
    () => expect.unreachable('it was not refused'),
    (error: { toJSON(): object }) => error.toJSON(),
  );

verifies(
  'jobs:tools',
  'the answer of a finished job is forwarded in full, with its job',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    bench.clock.advance(60_000);
    bench.end(id, DONE);
    const { forwardedResult } = await result(bench, { job_id: id });
    expect(forwardedResult).toEqual({
      ...DONE,
      envelope: {
        ...DONE.envelope,
        job: {
          id,
          status: 'done',
          tool: 'consensus',
          created_at: '2025-10-10T00:05:49.591Z',
          finished_at: '2025-10-10T00:06:49.591Z',
          req_id: DONE.envelope.req_id,
        },
      },
    });
    // The URI of a job works like its id, and an answer can be read again.
    const again = await result(bench, { job_id: `exai://jobs/${id}`, wait_seconds: 0 });
    expect(again.forwardedResult).toEqual(forwardedResult);
    expect(bench.waits).toEqual([]);
  },
);

verifies(
  'jobs:tools',
  'a failure is forwarded as a failure, also that of an interrupted job',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    const error = new CallError('interrupted', 'The daemon was stopped.', {
      fix: 'Call it again.',
    });
    const failed = failureResult(error, 'consensus', 'req_1');
    bench.end(id, { ...failed, envelope: { ...failed.envelope, content: 'Half of' } });
    const { forwardedResult } = await result(bench, { job_id: id });
    expect(forwardedResult).toMatchObject({
      error,
      text: 'The daemon was stopped. Call it again.',
      envelope: { error_class: 'interrupted', content: 'Half of', job: { status: 'failed' } },
    });
  },
);

verifies(
  'jobs:tools',
  'it waits until the job is over, and reports progress meanwhile',
  async () => {
    const bench = createJobBench();
    const id = bench.begin({ progress: { note: 'asking kimi-k3', done: 1, total: 3 } });
    const steps: Progress[] = [];
    const waiting = result(bench, { job_id: id }, { steps });
    await bench.clock.untilWaiting();
    bench.progress(id, { note: 'asking glm', done: 2, total: 3, chars: 8, text: 'One word' });
    bench.clock.advance(5000);
    await bench.clock.untilWaiting();
    bench.end(id, DONE);
    expect((await waiting).forwardedResult).toMatchObject({ text: 'Yes.' });
    expect(steps).toEqual([
      { note: 'asking kimi-k3', done: 1, total: 3 },
      { note: 'asking glm, about 3 tokens so far', done: 2, total: 3 },
    ]);
    expect(bench.waits).toEqual([5000, 5000]);
    // Advances the clock of a wait that is over.
    expect(bench.clock.waiting).toBeLessThanOrEqual(1);
  },
);

verifies(
  'jobs:tools',
  'for a running job it says what the job does and how to poll, with the end of its text',
  async () => {
    const bench = createJobBench();
    const text = `😀${'x'.repeat(999)}`;
    const progress = { note: 'writing', done: 2, total: 5, chars: 9000, text };
    const id = bench.begin({ progress });
    bench.clock.advance(120_000);
    const waiting = result(bench, { job_id: id, wait_seconds: 3 });
    await bench.clock.untilWaiting();
    bench.clock.advance(3000);
    const { forwardedResult } = await waiting;
    const detail = `consensus still runs as job ${id}, for 2 minutes (2 of 5, writing, about 4460 tokens so far). Nothing is lost: call job_result again with {"job_id": "${id}"} for the answer.`;
    const end = 'x'.repeat(999);
    expect(forwardedResult).toEqual({
      text: `${detail}\n\nThe end of what it had written by then:\n${end}`,
      envelope: {
        status: 'running',
        tool: 'consensus',
        attempt: 0,
        req_id: 'req_2',
        detail,
        content: end,
        job: {
          id,
          status: 'running',
          tool: 'consensus',
          created_at: '2025-10-10T00:05:49.591Z',
          poll_ms: 5000,
          note: 'writing',
        },
      },
    });
  },
);

verifies(
  'jobs:tools',
  'one that waits for its turn says so, and without text there is no content',
  async () => {
    const bench = createJobBench();
    const id = bench.begin({ status: 'queued' });
    const { forwardedResult } = await result(bench, { job_id: id, wait_seconds: 0 });
    expect(forwardedResult?.text).toContain(
      `consensus waits for its turn as job ${id}, for 0 seconds. `,
    );
    expect(forwardedResult?.envelope.content).toBe(null);
  },
);

verifies(
  'jobs:tools',
  'it ends in time for its own deadline, and at once when its caller leaves',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    const late = await result(bench, { job_id: id, wait_seconds: 40 }, { leftMs: 900 });
    expect(late.forwardedResult?.envelope.status).toBe('running');
    expect(bench.waits).toEqual([]);
    const leaving = new AbortController();
    const left = result(bench, { job_id: id }, { signal: leaving.signal });
    await bench.clock.untilWaiting();
    leaving.abort();
    expect((await left).forwardedResult?.envelope.status).toBe('running');
    expect(bench.clock.waiting).toBe(0);
  },
);

verifies(
  'jobs:asks',
  'what a job asks is asked of the client, round by round, and each answer goes to its round',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    bench.ask(id, 1, { which: FORM });
    const first = (await result(
      bench,
      { job_id: id },
      { clientCapabilities: ['form'] },
    )) as unknown as InputRequired;
    expect(first).toEqual({ inputRequests: { '1:which': FORM } });

    const answers = { '1:which': YES };
    const second = result(bench, { job_id: id }, { clientCapabilities: ['form'], answers });
    await bench.clock.untilWaiting();
    expect(bench.given).toEqual([{ round: 1, answers: { which: YES } }]);
    // The same name in the next round is another request.
    bench.ask(id, 2, { which: FORM });
    expect(await second).toEqual({ inputRequests: { '2:which': FORM } });

    const both = { ...answers, '2:which': { action: 'decline' } };
    const third = result(bench, { job_id: id }, { clientCapabilities: ['form'], answers: both });
    await bench.clock.untilWaiting();
    bench.end(id, DONE);
    expect((await third).forwardedResult?.text).toBe('Yes.');
    expect(bench.given.slice(1)).toEqual([{ round: 2, answers: { which: { action: 'decline' } } }]);
  },
);

verifies(
  'jobs:asks',
  'an unanswered request is sent again, and old answers are not passed on twice',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    bench.ask(id, 1, { which: FORM, where: { is: 'roots' } });
    const answers = { '1:which': YES, '10:where': YES, which: YES, ['__proto__']: YES };
    const again = await result(
      bench,
      { job_id: id },
      { clientCapabilities: ['form', 'roots'], answers },
    );
    expect(again).toEqual({ inputRequests: { '1:where': { is: 'roots' } } });
    expect(bench.given).toEqual([{ round: 1, answers: { which: YES } }]);
  },
);

verifies(
  'jobs:asks',
  'a client without elicitation learns what is asked, and which clients can answer',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    bench.ask(id, 1, { which: FORM, where: { is: 'roots' } });
    const { forwardedResult } = await result(
      bench,
      { job_id: id },
      { clientCapabilities: ['form'] },
    );
    expect(forwardedResult?.text).toBe(
      `consensus (job ${id}) waits for an answer that this client cannot be asked for: "Which?"; the folders that the client works in. ` +
        `Call job_result with {"job_id": "${id}"} from a client that can be asked (one with MCP elicitation), or stop it with job_cancel.`,
    );
    expect(forwardedResult?.envelope).toMatchObject({
      status: 'input_required',
      job: {
        status: 'input_required',
        asks: [
          { name: 'which', kind: 'form', message: 'Which?' },
          { name: 'where', kind: 'roots' },
        ],
      },
    });
  },
);

verifies('jobs:tools', 'one that was cancelled says so, with what there was', async () => {
  const bench = createJobBench();
  const id = bench.begin({ progress: { note: 'asking', chars: 4, text: 'Half' } });
  await bench.jobs.cancel('ann', id);
  const { forwardedResult } = await result(bench, { job_id: id });
  expect(forwardedResult).toMatchObject({
    text: `Job ${id} was cancelled.\n\nWhat it had written by then:\nHalf`,
    envelope: { status: 'cancelled', content: 'Half', job: { status: 'cancelled' } },
  });
  expect(forwardedResult?.error).toBe(undefined);
  expect(forwardedResult?.envelope.job).not.toHaveProperty('note');
});

verifies(
  'jobs:tools',
  'an unknown job, and another’s, are not found; an expired one has its own message',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    const unknown = {
      class: 'not_found',
      message: `You have no job ${id}.`,
      reason: { code: 'unknown_job', params: { id } },
      field: 'job_id',
      fix: 'List your jobs with job_result without job_id.',
      fixes: [{ kind: 'list_jobs', params: {} }],
    };
    expect(await refusal(result(bench, { job_id: id }, { principal: 'bob' }))).toEqual(unknown);
    bench.forget(id);
    bench.clock.advance(29 * DAY_MS);
    expect(await refusal(result(bench, { job_id: id }))).toEqual(unknown);
    bench.clock.advance(12 * DAY_MS);
    expect(await refusal(result(bench, { job_id: id }))).toEqual({
      ...unknown,
      message: `Job ${id} is no longer kept: it was begun 41 days ago, and jobs go 30 days after they are over.`,
      reason: {
        code: 'unknown_job',
        params: { id, expired: { ageS: 41 * 86_400, keptDays: 30 } },
      },
    });
  },
);

verifies('jobs:tools', 'without an id it lists what is under way and the latest', async () => {
  const bench = createJobBench();
  expect(await result(bench, {})).toEqual({
    text: 'You have no jobs. A long call becomes one.',
    content: { jobs: [] },
  });
  const begin = (more: Parameters<JobBench['begin']>[0]) => {
    bench.clock.advance(60_000);
    return bench.begin(more);
  };
  const old = begin({ title: 'Why?', progress: { note: 'asking glm' } });
  const over = Array.from({ length: 6 }, (_, n) => {
    const id = begin({ title: `Number ${n}`, progress: { note: 'asking' } });
    bench.end(id, DONE);
    return id;
  });
  begin({ principal: 'bob' });
  const { text, content } = await result(bench, { wait_seconds: 5 });
  const ids = [...over.slice(1).toReversed(), old];
  expect((content as { jobs: { id: string }[] }).jobs.map(({ id }) => id)).toEqual(ids);
  expect(text.split('\n').toSpliced(1, 4)).toEqual([
    `${ids[0]}  2025-10-10 00:12Z  done  consensus  Number 5`,
    `${old}  2025-10-10 00:06Z  running  consensus  Why? (asking glm)`,
    `For the answer of one call job_result with its id, as in {"job_id": "${ids[0]}"}.`,
  ]);
  expect(bench.waits).toEqual([]);
});

verifies('jobs:tools', 'of very many that are under way it lists few', async () => {
  const bench = createJobBench();
  const ids = Array.from({ length: 12 }, () => bench.begin());
  const { text, content } = await result(bench, {});
  expect(content).toMatchObject({
    jobs: ids
      .toReversed()
      .slice(0, 10)
      .map((id) => ({ id })),
  });
  expect(text).toMatch(/ More are under way: exai:\/\/jobs lists them\.$/);
});

test.each(['', 'job_1', '__proto__', `job_${'i'.repeat(22)}`, 'exai://jobs/', 'x\u001b[31m\ny'])(
  '%j is no id of a job',
  async (given) => {
    const bench = createJobBench();
    const { message, ...facts } = (await refusal(result(bench, { job_id: given }))) as CallError;
    expect(facts).toMatchObject({
      class: 'validation',
      reason: { code: 'invalid_id', params: { argument: 'job_id', kind: 'job' } },
      field: 'job_id',
      fix: 'It is job_ and 22 letters and digits, as in the answer that was handed off. List your jobs with job_result without job_id.',
    });
    expect(bench.begin()).toMatch(/^job_[a-z\d]{22}$/);
    expect(message).not.toMatch(/\p{Cc}/u);
  },
);

verifies('jobs:tools', 'the id of a long result is pointed to its tool', async () => {
  const bench = createJobBench();
  const id = bench.keep('a text');
  expect(await refusal(result(bench, { job_id: id }))).toMatchObject({
    class: 'validation',
    fixes: [{ kind: 'advice' }, { kind: 'read_result', params: { id } }],
  });
});

test.each([
  [{ job_id: null }, 'job_id'],
  [{ job_id: 1 }, 'job_id'],
  [{ job_id: 'x'.repeat(201) }, 'job_id'],
  [{ job_id: 'job_1', wait_seconds: 41 }, 'wait_seconds'],
  [{ job_id: 'job_1', wait_seconds: -1 }, 'wait_seconds'],
  [{ job_id: 'job_1', wait_seconds: 0.5 }, 'wait_seconds'],
  [{ job_id: 'job_1', wait: 5 }, 'wait'],
])('%j is refused by the name of what is wrong', (args, field) => {
  const tool = jobResult(createJobBench().deps);
  expect(() => tool.parse(args)).toThrow(
    expect.objectContaining({ class: 'validation', field }) as Error,
  );
});
