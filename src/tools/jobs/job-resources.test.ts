import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { failureResult } from '#core/calls/envelope.ts';
import type { ResourceContents } from '#core/tools/content.ts';
import { matchUriTemplate } from '../../../test/match-uri-template.ts';
import { createJobBench, type JobBench } from './jobs.fixture.ts';
import { jobResources } from './job-resources.ts';
import { verifies } from '../../../test/verifies.ts';

/** The content of a resource, as the library finds it. */
async function at(bench: JobBench, uri: string, principal = 'ann'): Promise<string> {
  const { resources, templates } = jobResources(bench.deps);
  const context = bench.context({ principal });
  const single = resources.find((resource) => resource.uri === uri);
  const many = templates.map((template) => {
    const parts = matchUriTemplate(template.uriTemplate, uri);
    return parts && (() => template.read(parts, uri, context));
  });
  const read = single ? () => single.read(context) : many.find((each) => each !== undefined);
  if (!read) throw new Error('nothing stands there');
  const [contents] = (await read()) as readonly ResourceContents[];
  expect(contents?.uri).toBe(uri);
  return (contents as { text: string }).text;
}

verifies(
  'jobs:tools',
  'a job can be looked at by its address, and says nothing of its answer',
  async () => {
    const bench = createJobBench();
    const progress = { note: 'asking', done: 1, total: 2, chars: 4, text: 'text' };
    const title = 'Which of them?';
    const id = bench.begin({ title, progress });
    bench.ask(id, 1, { which: { is: 'form', message: 'Which?', schema: {} } });
    const moment = '2025-10-10T00:05:49.591Z';
    const head = { id, title, tool: 'consensus', created_at: moment, updated_at: moment };
    const sofar = { note: 'asking', done: 1, total: 2, chars: 4, runs: 1 };
    expect(JSON.parse(await at(bench, `exai://jobs/${id}`))).toEqual({
      ...head,
      ...sofar,
      status: 'input_required',
      asks: [{ name: 'which', kind: 'form', message: 'Which?' }],
    });
    const error = new CallError('quota', 'Used up.', { fix: 'Pay.' });
    const over = bench.begin({ title, progress });
    bench.end(over, failureResult(error, 'consensus', 'req_1'));
    expect(JSON.parse(await at(bench, `exai://jobs/${over}`))).toEqual({
      ...head,
      runs: 1,
      id: over,
      status: 'failed',
      finished_at: moment,
      error_class: 'quota',
      detail: 'Used up. Pay.',
      kept_until: '2025-11-09T00:05:49.591Z',
    });
  },
);

verifies('jobs:tools', 'all of them are listed at one address, each to its owner', async () => {
  const bench = createJobBench();
  const id = bench.begin();
  expect(JSON.parse(await at(bench, 'exai://jobs'))).toMatchObject({ jobs: [{ id }] });
  expect(JSON.parse(await at(bench, 'exai://jobs', 'bob'))).toEqual({ jobs: [] });
});

verifies('results:paged', 'a long result is whole at its address', async () => {
  const bench = createJobBench();
  const whole = `${'0123456789'.repeat(99_999)}123456789😀${'x'.repeat(1_200_000)}`;
  const id = bench.keep(whole);
  expect((await at(bench, `exai://results/${id}`)) === whole).toBe(true);
  expect(await at(bench, `exai://results/${bench.keep('')}`)).toBe('');
});

verifies('stalls:limits', 'a very long result is read in pieces, not as a resource', async () => {
  const bench = createJobBench();
  const id = bench.keep('x'.repeat(8_000_001));
  await expect(at(bench, `exai://results/${id}`)).rejects.toMatchObject({
    class: 'too_large',
    field: 'uri',
    fix: `Read it in pieces: read_result {"id": "${id}", "offset": 0}.`,
  });
});

verifies('jobs:tools', 'what is not there, or another’s, is not found by its address', async () => {
  const bench = createJobBench();
  const job = bench.begin();
  const result = bench.keep('text');
  for (const uri of [`exai://jobs/${job}`, `exai://results/${result}`]) {
    await expect(at(bench, uri, 'bob')).rejects.toMatchObject({ class: 'not_found', field: 'uri' });
  }
  for (const uri of ['exai://jobs/__proto__', 'exai://results/x']) {
    await expect(at(bench, uri)).rejects.toMatchObject({ class: 'validation', field: 'uri' });
  }
});

verifies('jobs:tools', 'ids are completed from one’s own', async () => {
  const bench = createJobBench();
  const caller = { principal: 'ann', scopes: [], roots: [] };
  const job = bench.begin();
  bench.begin({ principal: 'bob' });
  const result = bench.keep('text');
  const { templates } = jobResources(bench.deps);
  const fitting = (value: string) =>
    Promise.all(templates.map(async ({ complete }) => complete?.['id']?.(value, {}, caller)));
  expect(await fitting('')).toEqual([[job], [result]]);
  expect(await fitting('job_')).toEqual([[job], []]);
});

verifies('jobs:tools', 'they need access to the tools behind them', () => {
  const { resources, templates } = jobResources(createJobBench().deps);
  expect([...resources, ...templates].map(({ name, uses }) => `${name} ${uses}`)).toEqual([
    'jobs job_list',
    'job job_result',
    'result read_result',
  ]);
});
