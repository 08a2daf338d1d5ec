import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { formatCommandHelp } from '../command-help.ts';
import { command as call } from '../commands/call.ts';
import { command as jobsCancel } from '../commands/jobs-cancel.ts';
import { command as jobsResult } from '../commands/jobs-result.ts';
import { command as jobsShow } from '../commands/jobs-show.ts';
import { command as jobs } from '../commands/jobs.ts';
import { command as resultsRead } from '../commands/results-read.ts';
import { reportError } from '../messages/failure.ts';
import { startFakeDaemon, runCommand, type FakeToolResult } from './job-daemon.fixture.ts';

const AT = '2026-01-31T08:05:00.000Z';
const ROW = { id: 'job_2', tool: 'consensus', created_at: AT, updated_at: AT };
const DONE = {
  text: 'Yes.',
  envelope: { status: 'success', content: 'Yes.', job: { id: 'job_2', status: 'done' } },
};
const RUNNING = {
  text: 'consensus still runs as job job_2. Nothing is lost: call job_result again with {"job_id": "job_2"} for the answer.',
  envelope: {
    status: 'running',
    content: null,
    job: { id: 'job_2', status: 'running', tool: 'consensus' },
  },
};
const RUNNING_WORDS =
  'exai: consensus still runs as job job_2. Get the answer with: exai jobs result job_2 --wait, or stop it with: exai jobs cancel job_2\n';
const contentResult = (content: object, text = ''): FakeToolResult => ({
  text,
  envelope: { status: 'success', content },
});
const id = { positionals: { id: 'job_2' } };

verifies('cli:jobs', 'jobs are listed with what they do, page by page', async () => {
  const asked: object[] = [];
  const rows = [
    { ...ROW, status: 'running', note: 'asking\nglm\u001b[2J' },
    { ...ROW, id: 'job_1', status: 'failed', error_class: 'budget', finished_at: AT },
    { ...ROW, id: 'job_0', status: 'running', title: 'Why?\u001b[2J', note: 'asking' },
    { ...ROW, id: 'job_00', status: 'done', title: 'Why not?', note: 'asking', finished_at: AT },
    {
      ...ROW,
      id: 'job_000',
      status: 'failed',
      title: 'Who?',
      error_class: 'quota',
      finished_at: AT,
    },
  ];
  const { root } = await startFakeDaemon({
    job_list({ args }) {
      asked.push(args);
      return contentResult({ jobs: rows, next: 'job_1' });
    },
  });
  const { out } = await runCommand(jobs, root, { options: { open: true, limit: '2' } });
  const lines = out.split('\n');
  expect(lines[0]).toMatch(
    /^job_2 {4}2026-\S+ \S+ {2}running {2}consensus {2}asking glm\\u\{1b\}\[2J$/,
  );
  expect(lines[1]).toMatch(/^job_1 .* failed {3}consensus {2}budget$/);
  expect(lines.slice(2, 5).map((line) => line.split('consensus  ')[1])).toEqual([
    'Why?\\u{1b}[2J (asking)',
    'Why not?',
    'Who? (quota)',
  ]);
  expect(lines.at(-2)).toBe('Older ones: exai jobs --open --before job_1');
  const asJson = await runCommand(jobs, root, { options: { json: true, before: 'job_9' } });
  expect(JSON.parse(asJson.out)).toEqual({ jobs: rows, next: 'job_1' });
  expect(asked).toEqual([
    { status: 'open', limit: 2 },
    { status: 'all', before: 'job_9' },
  ]);
});

verifies('cli:jobs', 'a list without jobs says so, and --open excludes --all', async () => {
  const { root } = await startFakeDaemon({ job_list: () => contentResult({ jobs: [] }) });
  const say = async (options: object) => (await runCommand(jobs, root, { options })).out;
  expect(await say({})).toBe('You have no jobs.\n');
  expect(await say({ open: true })).toBe('No job of yours is under way.\n');
  expect(await say({ before: 'job_1' })).toBe('There are no older ones.\n');
  await expect(say({ open: true, all: true })).rejects.toMatchObject({ class: 'bad_request' });
});

verifies(
  'cli:jobs',
  'a job is shown with how far it is, what it asks and what to do next',
  async () => {
    const title = 'Which of them?';
    const state = { ...ROW, title, runs: 2, done: 1, total: 3, chars: 40, note: 'asking' };
    const { root } = await startFakeDaemon({
      'exai://jobs/job_2': () => ({
        json: { ...state, status: 'input_required', asks: [{ name: 'which', message: 'Which?' }] },
      }),
      'exai://jobs/job_3': () => ({
        json: {
          ...state,
          id: 'job_3',
          status: 'failed',
          error_class: 'quota',
          detail: 'Used up.',
          finished_at: AT,
          kept_until: AT,
        },
      }),
    });
    const { out } = await runCommand(jobsShow, root, id);
    expect(out.split('\n').map((line) => line.replace(/ 2026-.*/, ' …'))).toEqual([
      'job_2',
      '  title       Which of them?',
      '  tool        consensus',
      '  status      input_required',
      '  asks        Which?',
      '  doing       asking',
      '  step        1 of 3',
      '  written     40 characters',
      '  runs        2: a restart came between',
      '  begun       …',
      '  last heard  …',
      'Follow it: exai jobs result job_2 --wait',
      '',
    ]);
    const over = await runCommand(jobsShow, root, { positionals: { id: 'job_3' } });
    expect(over.out).toContain('failed (quota)\n');
    expect(over.out).toContain('Which of them?\n');
    expect(over.out).not.toMatch(/doing|step|written/);
    expect(over.out).toContain('Used up.\n');
    expect(over.out).toContain('Its answer: exai jobs result job_3\n');
  },
);

test('a text that is not the id of a job is refused by code, and named as the command names it', async () => {
  const params = { argument: 'uri', kind: 'job', given: 'abc' };
  const error = {
    message: '"uri" is not the id of a job: "abc".',
    field: 'uri',
    reason: { code: 'invalid_id', params },
    fixes: [],
  };
  const { root } = await startFakeDaemon({
    'exai://jobs/abc': () => ({
      error: { code: -32602, message: 'x', data: { error_class: 'validation', error } },
    }),
  });
  const asked = { positionals: { id: 'abc' } };
  const thrown: unknown = await runCommand(jobsShow, root, asked).catch((each: unknown) => each);
  let out = '';
  const io = {
    stdout: { write: (text: string) => void (out += text) },
    stderr: { write: () => undefined },
  };
  reportError(thrown, io, 'json');
  expect(JSON.parse(out)).toEqual({
    error: {
      class: 'validation',
      message: 'This is not the id of a job: "abc".',
      field: 'id',
      reason: { code: 'invalid_id', params: { ...params, argument: 'id' } },
    },
  });
});

verifies(
  'cli:jobs',
  'a job that is not there exits by its class, with the command that lists those that are',
  async () => {
    const text = 'You have no job job_2. List your jobs with job_result without job_id.';
    const error = { message: 'You have no job job_2.', fixes: [{ kind: 'list_jobs', params: {} }] };
    const refused = {
      error: { code: -32602, message: text, data: { error_class: 'not_found', error } },
    };
    const failed: FakeToolResult = {
      text,
      envelope: { status: 'error', error_class: 'not_found', error, content: null },
      isError: true,
    };
    const { root } = await startFakeDaemon({
      'exai://jobs/job_2': () => refused,
      job_cancel: () => failed,
      job_result: () => failed,
    });
    const { message } = error;
    for (const command of [jobsShow, jobsCancel]) {
      await expect(runCommand(command, root, id)).rejects.toMatchObject({
        class: 'not_found',
        ...error,
      });
    }
    expect(await runCommand(jobsResult, root, id)).toEqual({
      code: 6,
      out: '',
      err: `exai: ${message}\n  fix: List your jobs with: exai jobs\n`,
    });
  },
);

verifies(
  'cli:jobs',
  'the answer of a job goes to standard output, and what is none does not',
  async () => {
    const results: FakeToolResult[] = [
      DONE,
      RUNNING,
      { text: 'Cancelled.', envelope: { job: { id: 'job_2', status: 'cancelled' } } },
      { text: 'It asks.', envelope: { job: { id: 'job_2', status: 'input_required' } } },
      {
        text: 'Used up.',
        envelope: { error_class: 'quota', job: { id: 'job_2', status: 'failed' } },
        isError: true,
      },
    ];
    const { root, received } = await startFakeDaemon({ job_result: () => results.shift() });
    const result = () => runCommand(jobsResult, root, id);
    expect(await result()).toEqual({ code: 0, out: 'Yes.\n', err: '' });
    expect(await result()).toEqual({ code: 15, out: '', err: RUNNING_WORDS });
    expect(await result()).toEqual({ code: 130, out: '', err: 'exai: Job job_2 was cancelled.\n' });
    expect(await result()).toEqual({
      code: 2,
      out: '',
      err: 'exai: The call (job job_2) waits for an answer that it cannot be given here. Look at the job from a client that can be asked (one with MCP elicitation), or stop it with: exai jobs cancel job_2\n',
    });
    expect(await result()).toEqual({ code: 11, out: '', err: 'exai: Used up.\n' });
    const [first] = received.filter(({ method }) => method === 'tools/call');
    expect(first?.params?.arguments).toEqual({ job_id: 'job_2', wait_seconds: 0 });
  },
);

verifies('cli:jobs', 'as JSON there is the envelope, with the exit code all the same', async () => {
  const { root } = await startFakeDaemon({ job_result: () => RUNNING });
  const { code, out, err } = await runCommand(jobsResult, root, {
    ...id,
    options: { json: true },
  });
  expect([code, err]).toEqual([15, '']);
  expect(JSON.parse(out)).toEqual(RUNNING.envelope);
});

verifies('cli:jobs', 'a job is followed to its end, with its progress on a terminal', async () => {
  const { root, received } = await startFakeDaemon({
    job_result({ notify: tell }) {
      tell('asking glm');
      return DONE;
    },
  });
  const options = { wait: true } as const;
  const ran = await runCommand(jobsResult, root, { ...id, options }, { output: 'terminal' });
  expect([ran.code, ran.out]).toEqual([0, 'Yes.\n']);
  expect(ran.err).toContain('| asking glm');
  const [first] = received.filter(({ method }) => method === 'tools/call');
  expect(first?.params?.arguments).toEqual({ job_id: 'job_2', wait_seconds: 40 });
});

verifies('cli:jobs', 'ending the following does not stop the job, and says so', async () => {
  const leaving = new AbortController();
  const { root, received } = await startFakeDaemon({
    job_result() {
      leaving.abort();
      return undefined;
    },
  });
  const ways = { signal: leaving.signal };
  expect(await runCommand(jobsResult, root, { ...id, options: { wait: true } }, ways)).toEqual({
    code: 130,
    out: '',
    err:
      'exai: job_2 continues in the background. Follow it again: exai jobs result job_2 --wait\n' +
      '  Stop it: exai jobs cancel job_2\n',
  });
  expect(received.some(({ params }) => params?.name === 'job_cancel')).toBe(false);
});

verifies('cli:jobs', 'cancelling says what came of it', async () => {
  const outcomes = [
    { id: 'job_2', outcome: 'cancelled', status: 'cancelled' },
    { id: 'job_2', outcome: 'already_over', status: 'done' },
  ];
  const { root } = await startFakeDaemon({
    job_cancel: () => contentResult(outcomes.shift() ?? {}),
  });
  expect((await runCommand(jobsCancel, root, id)).out).toBe('job_2 is cancelled.\n');
  expect((await runCommand(jobsCancel, root, id)).out).toBe('job_2 was over already: done.\n');
});

/** A result in parts of ten characters. */
async function daemonWithResult(whole: string) {
  const offsets: unknown[] = [];
  const daemon = await startFakeDaemon({
    read_result({ args }) {
      const offset = Number(args['offset']);
      offsets.push(offset);
      const text = whole.slice(offset, offset + 10);
      const next = offset + 10 < whole.length ? { next: offset + 10 } : {};
      return contentResult({
        id: 'res_1',
        tool: 'chat',
        offset,
        chars: whole.length,
        ...next,
        text,
      });
    },
  });
  return { ...daemon, offsets };
}

verifies('results:paged', 'in a pipe there is all of a long result and nothing else', async () => {
  const whole = 'a line\n\u001b[31mand more of it, to its very end';
  const { root, offsets } = await daemonWithResult(whole);
  const positionals = { id: 'res_1' };
  expect(await runCommand(resultsRead, root, { positionals })).toEqual({
    code: 0,
    out: whole,
    err: '',
  });
  expect(offsets).toEqual([0, 10, 20, 30, 40]);
  const rest = await runCommand(resultsRead, root, { positionals, options: { offset: '35' } });
  expect(rest.out).toBe(whole.slice(35));
  const asJson = await runCommand(resultsRead, root, { positionals, options: { json: true } });
  expect(JSON.parse(asJson.out)).toEqual({
    id: 'res_1',
    tool: 'chat',
    offset: 0,
    chars: whole.length,
    text: whole,
  });
});

verifies('cli:jobs', 'on a terminal there is a piece, harmless, and how to go on', async () => {
  const { root } = await daemonWithResult('a\u001b[31mb and the rest');
  const args = { positionals: { id: 'res_1' } };
  expect(await runCommand(resultsRead, root, args, { output: 'terminal' })).toEqual({
    code: 0,
    out: 'a\\u{1b}[31mb an\n',
    err: '10 of 20 characters; continue: exai results read res_1 --offset 10\n',
  });
});

test.each(['-1', '1.5', 'x', ''])(
  '--offset %j is refused before anybody is asked',
  async (offset) => {
    await expect(
      runCommand(resultsRead, '/nowhere', { positionals: { id: 'res_1' }, options: { offset } }),
    ).rejects.toMatchObject({ class: 'validation', field: '--offset' });
  },
);

verifies(
  'cli:jobs',
  'a call in the background prints the id of its job alone, and how to follow it',
  async () => {
    const { root, received } = await startFakeDaemon({
      consensus: () => RUNNING,
      version: () => DONE,
    });
    const background = { args: '{"prompt": "Why?"}', background: true } as const;
    const run = (tool: string, options: object) =>
      runCommand(call, root, { positionals: { tool }, options: { ...background, ...options } });
    expect(await run('consensus', {})).toEqual({
      code: 0,
      out: 'job_2\n',
      err: 'Follow it: exai jobs result job_2 --wait\n',
    });
    const sent = received.find(({ method }) => method === 'tools/call');
    expect(sent?.params?._meta).toMatchObject({ 'exai/background': true });
    const asJson = await run('consensus', { json: true });
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([0, RUNNING.envelope]);
    // A tool that never becomes a job answers directly.
    expect(await run('version', {})).toEqual({
      code: 0,
      out: 'Yes.\n',
      err: 'exai: This tool does not run in the background; here is its answer.\n',
    });
  },
);

verifies('cli:jobs', 'who does not wait is refused a limit to the waiting', async () => {
  const positionals = { tool: 'consensus' };
  const options = { background: true, timeout: '5' } as const;
  await expect(runCommand(call, '/nowhere', { positionals, options })).rejects.toMatchObject({
    class: 'bad_request',
    field: '--timeout',
  });
});

verifies('cli:jobs', 'the help of jobs names what can be done with one', () => {
  for (const name of ['show', 'result', 'cancel']) {
    expect(formatCommandHelp(jobs)).toContain(`exai jobs ${name} <id>`);
  }
});

verifies(
  'cli:jobs',
  'a call that is handed off although it was waited for is no answer; asking how a job stands is',
  async () => {
    const { root } = await startFakeDaemon({ consensus: () => RUNNING, job_result: () => RUNNING });
    const run = (tool: string) => runCommand(call, root, { positionals: { tool } });
    expect(await run('consensus')).toEqual({ code: 15, out: '', err: RUNNING_WORDS });
    expect(await run('job_result')).toMatchObject({ code: 0, out: `${RUNNING.text}\n` });
  },
);
