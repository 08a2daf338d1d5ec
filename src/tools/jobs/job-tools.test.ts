import { expect, test } from 'vitest';
import * as z from 'zod';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { CallError } from '#core/errors/call-error.ts';
import { failureResult } from '#core/calls/envelope.ts';
import type { Tool } from '#core/tools/tool.ts';
import { jobCancel, jobList, jobTools } from './job-tools.ts';
import { createJobBench, runWith, type JobBench } from './jobs.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

async function run(
  tool: Tool,
  bench: JobBench,
  args: Record<string, unknown> = {},
  principal = 'ann',
): Promise<{ text: string; content: Record<string, unknown> }> {
  const { text, content } = await runWith(tool, args, bench.context({ principal }));
  const { content: shape } = (tool.outputSchema as { properties: { content: object } }).properties;
  expect(z.fromJSONSchema(shape as never).safeParse(content).error).toBe(undefined);
  return { text, content: content as Record<string, unknown> };
}

verifies('jobs:tools', 'a job is cancelled once, and twice does no harm', async () => {
  const bench = createJobBench();
  const id = bench.begin();
  const tool = jobCancel(bench.deps);
  expect(await run(tool, bench, { job_id: id })).toEqual({
    text: `Job ${id} is cancelled.`,
    content: { id, outcome: 'cancelled', status: 'cancelled' },
  });
  expect(await run(tool, bench, { job_id: id })).toEqual({
    text: `Job ${id} was over already: it was cancelled.`,
    content: { id, outcome: 'already_over', status: 'cancelled' },
  });
});

verifies(
  'jobs:tools',
  'cancelling what is over says how it ended, and changes nothing',
  async () => {
    const bench = createJobBench();
    const id = bench.begin();
    bench.end(id, failureResult(new CallError('timeout', 'Too late.'), 'consensus', 'req_1'));
    expect(await run(jobCancel(bench.deps), bench, { job_id: id })).toEqual({
      text: `Job ${id} was over already: it has failed. job_result has its answer.`,
      content: { id, outcome: 'already_over', status: 'failed' },
    });
    expect(await bench.jobs.get('ann', id)).toMatchObject({ status: 'failed' });
  },
);

verifies('jobs:tools', 'another’s job cannot be cancelled, and is not there', async () => {
  const bench = createJobBench();
  const id = bench.begin();
  const tool = jobCancel(bench.deps);
  await expect(run(tool, bench, { job_id: id }, 'bob')).rejects.toMatchObject({
    class: 'not_found',
    field: 'job_id',
  });
  await expect(run(tool, bench, { job_id: 'job_' })).rejects.toMatchObject({ class: 'validation' });
  expect(await bench.jobs.get('ann', id)).toMatchObject({ status: 'running' });
});

verifies(
  'jobs:tools',
  'a list goes from page to page without losing or repeating one',
  async () => {
    const bench = createJobBench();
    const tool = jobList(bench.deps);
    expect(await run(tool, bench)).toEqual({
      text: 'You have no jobs. A long call becomes one.',
      content: { jobs: [] },
    });
    expect((await run(tool, bench, { status: 'open' })).text).toBe('No job of yours is under way.');
    const made = Array.from({ length: 5 }, () => {
      bench.clock.advance(1000);
      return bench.begin();
    });
    bench.begin({ principal: 'bob' });
    const seen: unknown[] = [];
    for (let before: unknown; ;) {
      const { content } = await run(tool, bench, {
        limit: 2,
        ...(before !== undefined && { before }),
      });
      seen.push(...(content['jobs'] as { id: string }[]).map(({ id }) => id));
      before = content['next'];
      if (before === undefined) break;
    }
    expect(seen).toEqual(made.toReversed());
    expect((await run(tool, bench, { before: made[0] })).text).toBe('There are no older ones.');
  },
);

verifies(
  'jobs:tools',
  'each job is a line and a row, and the open ones can be had alone',
  async () => {
    const bench = createJobBench();
    const tool = jobList(bench.deps);
    const failed = bench.begin({ title: 'Who?', progress: { note: 'asking' } });
    bench.end(failed, failureResult(new CallError('budget', 'Spent.'), 'consensus', 'req_1'));
    const open = bench.begin({ tool: 'chat', progress: { note: 'asking\nglm' } });
    const at = '2025-10-10T00:05:49.591Z';
    const { text, content } = await run(tool, bench);
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
    expect((await run(tool, bench, { status: 'open' })).content['jobs']).toHaveLength(1);
  },
);

test.each([
  [{ status: 'closed' }, 'status'],
  [{ limit: 0 }, 'limit'],
  [{ limit: 101 }, 'limit'],
  [{ before: 7 }, 'before'],
])('a list with %j is refused', (args, field) => {
  expect(() => jobList(createJobBench().deps).parse(args)).toThrow(
    expect.objectContaining({ class: 'validation', field }) as Error,
  );
});

verifies('jobs:tools', 'a list before an invalid job id is refused', async () => {
  const bench = createJobBench();
  await expect(run(jobList(bench.deps), bench, { before: 'yesterday' })).rejects.toMatchObject({
    class: 'validation',
    field: 'before',
  });
});

verifies(
  'jobs:tools',
  'they wait for no provider, are never handed off themselves, and take little room in a list',
  () => {
    const tools = jobTools(createJobBench().deps);
    for (const { background, pool, annotations } of tools) {
      expect([background, pool, annotations.idempotentHint]).toEqual(['never', undefined, true]);
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
