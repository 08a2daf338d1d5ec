import { expect, test } from 'vitest';
import * as z from 'zod';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { CallError } from '#core/call-error.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import type { Tool } from '#core/tool.ts';
import { jobCancel } from './job-cancel.ts';
import { jobList } from './job-list.ts';
import { createDesk, runWith, type Desk } from './jobs.fixture.ts';
import { jobTools } from './tools.ts';
import { verifies } from '../../../test/verifies.ts';

async function run(
  tool: Tool,
  desk: Desk,
  args: Record<string, unknown> = {},
  principal = 'ann',
): Promise<{ text: string; content: Record<string, unknown> }> {
  const { text, content } = await runWith(tool, args, desk.context({ principal }));
  const { content: shape } = (tool.outputSchema as { properties: { content: object } }).properties;
  expect(z.fromJSONSchema(shape as never).safeParse(content).error).toBe(undefined);
  return { text, content: content as Record<string, unknown> };
}

verifies('jobs:tools', 'a job is cancelled once, and twice does no harm', async () => {
  const desk = createDesk();
  const id = desk.begin();
  const tool = jobCancel(desk.deps);
  expect(await run(tool, desk, { job_id: id })).toEqual({
    text: `Job ${id} is cancelled.`,
    content: { id, outcome: 'cancelled', status: 'cancelled' },
  });
  expect(await run(tool, desk, { job_id: id })).toEqual({
    text: `Job ${id} was over already: it was cancelled.`,
    content: { id, outcome: 'already_over', status: 'cancelled' },
  });
});

verifies(
  'jobs:tools',
  'cancelling what is over says how it ended, and changes nothing',
  async () => {
    const desk = createDesk();
    const id = desk.begin();
    desk.end(id, failureAnswer(new CallError('timeout', 'Too late.'), 'consensus', 'req_1'));
    expect(await run(jobCancel(desk.deps), desk, { job_id: id })).toEqual({
      text: `Job ${id} was over already: it has failed. job_result has its answer.`,
      content: { id, outcome: 'already_over', status: 'failed' },
    });
    expect(await desk.jobs.get('ann', id)).toMatchObject({ status: 'failed' });
  },
);

verifies('jobs:tools', 'another’s job cannot be cancelled, and is not there', async () => {
  const desk = createDesk();
  const id = desk.begin();
  const tool = jobCancel(desk.deps);
  await expect(run(tool, desk, { job_id: id }, 'bob')).rejects.toMatchObject({
    class: 'not_found',
    field: 'job_id',
  });
  await expect(run(tool, desk, { job_id: 'job_' })).rejects.toMatchObject({ class: 'validation' });
  expect(await desk.jobs.get('ann', id)).toMatchObject({ status: 'running' });
});

verifies(
  'jobs:tools',
  'a list goes from page to page without losing or repeating one',
  async () => {
    const desk = createDesk();
    const tool = jobList(desk.deps);
    expect(await run(tool, desk)).toEqual({
      text: 'You have no jobs: a call that takes long becomes one.',
      content: { jobs: [] },
    });
    expect((await run(tool, desk, { status: 'open' })).text).toBe('No job of yours is under way.');
    const made = Array.from({ length: 5 }, () => {
      desk.clock.advance(1000);
      return desk.begin();
    });
    desk.begin({ principal: 'bob' });
    const seen: unknown[] = [];
    for (let before: unknown; ;) {
      const { content } = await run(tool, desk, {
        limit: 2,
        ...(before !== undefined && { before }),
      });
      seen.push(...(content['jobs'] as { id: string }[]).map(({ id }) => id));
      before = content['next'];
      if (before === undefined) break;
    }
    expect(seen).toEqual(made.toReversed());
    expect((await run(tool, desk, { before: made[0] })).text).toBe('There are no older ones.');
  },
);

verifies(
  'jobs:tools',
  'each job is a line and a row, and the open ones can be had alone',
  async () => {
    const desk = createDesk();
    const tool = jobList(desk.deps);
    const failed = desk.begin({ title: 'Who?', progress: { note: 'asking' } });
    desk.end(failed, failureAnswer(new CallError('budget', 'Spent.'), 'consensus', 'req_1'));
    const open = desk.begin({ tool: 'chat', progress: { note: 'asking\nglm' } });
    const at = '2025-10-10T00:05:49.591Z';
    const { text, content } = await run(tool, desk);
    expect(text).toBe(
      `${open}  2025-10-10 00:05Z  running  chat  asking glm\n${failed}  2025-10-10 00:05Z  failed  consensus  Who? (budget)`,
    );
    expect(content).toEqual({
      jobs: [
        {
          id: open,
          tool: 'chat',
          status: 'running',
          note: 'asking\nglm',
          created_at: at,
          updated_at: at,
        },
        {
          id: failed,
          tool: 'consensus',
          status: 'failed',
          title: 'Who?',
          error_class: 'budget',
          created_at: at,
          updated_at: at,
          finished_at: at,
        },
      ],
    });
    expect((await run(tool, desk, { status: 'open' })).content['jobs']).toHaveLength(1);
  },
);

test.each([
  [{ status: 'closed' }, 'status'],
  [{ limit: 0 }, 'limit'],
  [{ limit: 101 }, 'limit'],
  [{ before: 7 }, 'before'],
])('a list with %j is refused', (args, field) => {
  expect(() => jobList(createDesk().deps).parse(args)).toThrow(
    expect.objectContaining({ class: 'validation', field }) as Error,
  );
});

verifies('jobs:tools', 'a list before what is no job is refused', async () => {
  const desk = createDesk();
  await expect(run(jobList(desk.deps), desk, { before: 'yesterday' })).rejects.toMatchObject({
    class: 'validation',
    field: 'before',
  });
});

verifies(
  'jobs:tools',
  'they wait for no provider, are never handed off themselves, and take little room in a list',
  () => {
    const tools = jobTools(createDesk().deps);
    for (const { handOff, lane, annotations } of tools) {
      expect([handOff, lane, annotations.idempotentHint]).toEqual(['never', undefined, true]);
    }
    expect(tools.map(({ name, profile }) => `${name} ${profile}`)).toEqual([
      'job_cancel standard',
      'job_list standard',
      'job_result lean',
      'read_result lean',
    ]);
    const lean = tools
      .filter(({ profile }) => profile === 'lean')
      .map(({ name, title, description, inputSchema, annotations }) => {
        return { name, title, description, inputSchema, annotations };
      });
    expect(encode(JSON.stringify(lean)).length).toBeLessThanOrEqual(330);
  },
);
