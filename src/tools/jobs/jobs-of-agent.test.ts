import { expect } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { InnerCalls } from '#core/calls/inner-calls.ts';
import { NO_INNER_CALLS } from '../../../test/no-tools.ts';
import { verifies } from '../../../test/verifies.ts';
import { createJobBench } from './jobs.fixture.ts';
import { jobResources } from './job-resources.ts';
import { jobsFor, resultsFor } from './jobs-of-agent.ts';

const MAIL = 'mcp__composio__GMAIL_SEND_EMAIL';

/** An agent that may use every tool but one. */
function setUp(denied: string) {
  const bench = createJobBench();
  const calls: InnerCalls = {
    ...NO_INNER_CALLS,
    decide: (tool) => ({ verdict: tool === denied ? 'deny' : 'ask', reasons: [] }),
  };
  const plain = bench.context();
  const agent = { ...plain, calls, caller: asAgent(plain.caller, 'main') };
  return { bench, plain, agent };
}

verifies('access:agents', 'jobs of tools that it may not use are not there', async () => {
  const { bench, plain, agent } = setUp(MAIL);
  const sent = bench.begin({ tool: MAIL });
  const asked = bench.begin({ tool: 'consensus' });
  bench.ask(sent, 1, { sure: { is: 'form', message: 'Sure?', schema: { type: 'object' } } });
  const jobs = jobsFor(agent, bench.jobs);
  const { signal } = agent;
  for (const attempt of [
    () => jobs.get('ann', sent),
    () => jobs.wait('ann', sent, 1000, signal),
    () => jobs.cancel('ann', sent),
    () => jobs.answer('ann', sent, 1, { sure: { action: 'accept' } }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ class: 'not_found' });
  }
  expect(bench.given).toEqual([]);
  expect((await jobs.list('ann', 10)).map(({ id }) => id)).toEqual([asked]);
  expect(await jobs.cancel('ann', asked)).toBe('cancelled');
  // The client itself has all of them.
  expect(await jobsFor(plain, bench.jobs).list('ann', 10)).toHaveLength(2);
});

verifies('access:agents', 'it finds its jobs behind many of others', async () => {
  const { bench, agent } = setUp(MAIL);
  const first = bench.begin({ tool: 'consensus' });
  for (let n = 0; n < 250; n += 1) bench.begin({ tool: MAIL });
  const jobs = jobsFor(agent, bench.jobs);
  expect((await jobs.list('ann', 5)).map(({ id }) => id)).toEqual([first]);
});

verifies('access:agents', 'long results of tools that it may not use are not there', async () => {
  const { bench, plain, agent } = setUp('chat');
  const id = bench.keep('a long answer');
  await expect(resultsFor(agent, bench.results).read('ann', id, 0)).rejects.toMatchObject({
    class: 'not_found',
  });
  expect((await resultsFor(plain, bench.results).read('ann', id, 0)).text).toBe('a long answer');
  const { templates } = jobResources(bench.deps);
  for (const { uriTemplate, complete } of templates) {
    expect([uriTemplate, await complete?.['id']?.('', {}, agent.caller)]).toEqual([
      uriTemplate,
      [],
    ]);
  }
});
