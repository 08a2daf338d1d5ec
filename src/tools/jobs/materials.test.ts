import { expect } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { ResourceContents } from '#core/content.ts';
import { parseUriTemplate } from '#core/uri-template.ts';
import { createDesk, type Desk } from './jobs.fixture.ts';
import { jobMaterials } from './materials.ts';
import { verifies } from '../../../test/verifies.ts';

/** What stands at an address, as the library finds it. */
async function at(desk: Desk, uri: string, principal = 'ann'): Promise<string> {
  const { resources, templates } = jobMaterials(desk.deps);
  const context = desk.context({ principal });
  const single = resources.find((resource) => resource.uri === uri);
  const many = templates.map((template) => {
    const parts = parseUriTemplate(template.uriTemplate).match(uri);
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
    const desk = createDesk();
    const progress = { note: 'asking', done: 1, total: 2, chars: 4, text: 'text' };
    const title = 'Which of them?';
    const id = desk.begin({ title, progress });
    desk.ask(id, 1, { which: { is: 'form', message: 'Which?', schema: {} } });
    const moment = '2025-10-10T00:05:49.591Z';
    const head = { id, title, tool: 'consensus', created_at: moment, updated_at: moment };
    const sofar = { note: 'asking', done: 1, total: 2, chars: 4, runs: 1 };
    expect(JSON.parse(await at(desk, `exai://jobs/${id}`))).toEqual({
      ...head,
      ...sofar,
      status: 'input_required',
      asks: [{ name: 'which', kind: 'form', message: 'Which?' }],
    });
    const error = new CallError('quota', 'Used up.', { fix: 'Pay.' });
    const over = desk.begin({ title, progress });
    desk.end(over, failureAnswer(error, 'consensus', 'req_1'));
    expect(JSON.parse(await at(desk, `exai://jobs/${over}`))).toEqual({
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
  const desk = createDesk();
  const id = desk.begin();
  expect(JSON.parse(await at(desk, 'exai://jobs'))).toMatchObject({ jobs: [{ id }] });
  expect(JSON.parse(await at(desk, 'exai://jobs', 'bob'))).toEqual({ jobs: [] });
});

verifies('results:paged', 'a long result is whole at its address', async () => {
  const desk = createDesk();
  const whole = `${'0123456789'.repeat(99_999)}123456789😀${'x'.repeat(1_200_000)}`;
  const id = desk.keep(whole);
  expect((await at(desk, `exai://results/${id}`)) === whole).toBe(true);
  expect(await at(desk, `exai://results/${desk.keep('')}`)).toBe('');
});

verifies('jobs:tools', 'what is not there, or another’s, is not found by its address', async () => {
  const desk = createDesk();
  const job = desk.begin();
  const result = desk.keep('text');
  for (const uri of [`exai://jobs/${job}`, `exai://results/${result}`]) {
    await expect(at(desk, uri, 'bob')).rejects.toMatchObject({ class: 'not_found', field: 'uri' });
  }
  for (const uri of ['exai://jobs/__proto__', 'exai://results/x']) {
    await expect(at(desk, uri)).rejects.toMatchObject({ class: 'validation', field: 'uri' });
  }
});

verifies('jobs:tools', 'ids are completed from one’s own', async () => {
  const desk = createDesk();
  const caller = { principal: 'ann', scopes: [], roots: [] };
  const job = desk.begin();
  desk.begin({ principal: 'bob' });
  const result = desk.keep('text');
  const { templates } = jobMaterials(desk.deps);
  const fitting = (value: string) =>
    Promise.all(templates.map(async ({ complete }) => complete?.['id']?.(value, {}, caller)));
  expect(await fitting('')).toEqual([[job], [result]]);
  expect(await fitting('job_')).toEqual([[job], []]);
});

verifies('jobs:tools', 'they are for who may use the tools behind them', () => {
  const { resources, templates } = jobMaterials(createDesk().deps);
  expect([...resources, ...templates].map(({ name, uses }) => `${name} ${uses}`)).toEqual([
    'jobs job_list',
    'job job_result',
    'result read_result',
  ]);
});
