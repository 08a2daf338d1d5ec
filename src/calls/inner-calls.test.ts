import { expect, test } from 'vitest';
import type { CallResult } from '#core/calls/calls.ts';
import type { InnerCall } from '#core/calls/inner-calls.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { createTestCalls, OWNER, probeTool, settled, stateOf } from './calls.fixture.ts';

const AGENT = { ...OWNER, principal: 'client_1', scopes: ['outer', 'inner', 'read:*'] };

function setUp(options: Parameters<typeof createTestCalls>[1] = {}) {
  const outer = probeTool({
    name: 'outer',
    pool: 'provider',
    background: 'never',
    idempotent: false,
  });
  const inner = probeTool({ name: 'inner', pool: 'provider', background: 'never' });
  const writes = probeTool({ name: 'writes', effect: 'changes' });
  const bench = createTestCalls([outer.tool, inner.tool, writes.tool], options);
  return { ...bench, outer, inner, writes };
}

/** Starts an outer call, and the inner call that its tool makes. */
async function callWithin(
  bench: ReturnType<typeof setUp>,
  call: Partial<InnerCall> = {},
  caller = AGENT,
) {
  const running = bench.start('outer', {}, { caller });
  await settled();
  const { context } = bench.outer.run(bench.outer.runs.length - 1);
  const called = context.calls.run({ tool: 'inner', args: {}, ...call });
  await settled();
  return { running, context, called };
}

test('A call within a call has its own row, and counts in the envelope of the outer one', async () => {
  const bench = setUp();
  const { running, called } = await callWithin(bench, { round: 2 });
  bench.inner.run().answer({ text: 'from inside' });
  expect(await called).toMatchObject({ text: 'from inside' });
  bench.outer.run().answer({ text: 'whole' });
  const { envelope } = await running.answer;
  expect(envelope.route?.calls).toMatchObject([{ tool: 'inner', outcome: 'ok', round: 2 }]);
  const rows = bench.store.noted;
  expect(rows.map(({ tool, via, principal }) => [tool, via, principal])).toEqual([
    ['inner', 'outer', 'client_1'],
    ['outer', undefined, 'client_1'],
  ]);
});

test('It has the rights of the caller and no others', async () => {
  const bench = setUp();
  const { context, called } = await callWithin(bench, { tool: 'writes' });
  expect((await called).error).toMatchObject({ class: 'permission' });
  expect(bench.writes.runs).toHaveLength(0);
  expect(context.calls.find('writes')).toBeUndefined();
  expect(context.calls.all().map(({ name }) => name)).toEqual(['inner', 'outer']);
});

test('Calls that wait for their inner calls hold no permit, so they never block each other', async () => {
  const bench = setUp({ limits: { global: 2 } });
  const calls = [await callWithin(bench), await callWithin(bench, { args: { topic: 'b' } })];
  expect(bench.inner.runs).toHaveLength(2);
  expect(bench.limiter.running).toBe(2);
  for (const run of bench.inner.runs) run.answer();
  await Promise.all(calls.map(({ called }) => called));
  expect(bench.limiter.running).toBe(2);
  for (const run of bench.outer.runs) run.answer();
  await Promise.all(calls.map(({ running }) => running.answer));
  expect(bench.limiter.running).toBe(0);
});

test('A call that continues waits for a permit even if the queue is full', async () => {
  const bench = setUp({ limits: { global: 1 }, maxWaiting: 0 });
  const { running, called } = await callWithin(bench);
  const limited = bench.start('outer', { topic: 'other' }, { caller: AGENT });
  expect((await limited.answer).error).toMatchObject({ class: 'over_capacity' });
  bench.inner.run().answer();
  await called;
  bench.outer.run().answer();
  expect((await running.answer).envelope.status).toBe('success');
});

test('Cancelling the outer call cancels the inner one', async () => {
  const bench = setUp();
  const { running, called } = await callWithin(bench);
  running.cancel();
  expect((await called).error).toMatchObject({ class: 'cancelled' });
  expect(bench.inner.run().context.signal.aborted).toBe(true);
  expect((await running.answer).error).toMatchObject({ class: 'cancelled' });
  await settled();
  expect(bench.limiter.waiting).toBe(0);
});

test('A signal cancels one inner call alone', async () => {
  const bench = setUp();
  const controller = new AbortController();
  const { running, called } = await callWithin(bench, { signal: controller.signal });
  controller.abort();
  expect((await called).error).toBeDefined();
  expect(await stateOf(running)).toBe('open');
});

test('An inner call is never joined with another, and never waits for its own outer call', async () => {
  const bench = setUp();
  const shared = bench.start('inner', {}, { caller: AGENT });
  const { called } = await callWithin(bench);
  expect(bench.inner.runs).toHaveLength(2);
  bench.inner.run(1).answer({ text: 'own' });
  expect((await called).text).toBe('own');
  expect(await stateOf(shared)).toBe('open');
});

test('Calls within calls have a limited depth', async () => {
  const bench = setUp();
  let { context } = await callWithin(bench, { tool: 'inner' });
  const deeper: Promise<CallResult>[] = [];
  const last = (): ToolContext => bench.outer.run(bench.outer.runs.length - 1).context;
  for (const _ of [1, 2, 3]) {
    deeper.push(context.calls.run({ tool: 'outer', args: {} }));
    await settled();
    context = last();
  }
  await expect(context.calls.run({ tool: 'inner', args: {} })).rejects.toMatchObject({
    reason: { code: 'calls_nested', params: { max: 3 } },
  });
  for (const run of bench.outer.runs) run.answer();
  await Promise.all(deeper);
});

test('A tool that wants input of the user fails within a call, with what it lacks', async () => {
  const bench = setUp();
  const { called } = await callWithin(bench);
  const schema = { type: 'object', properties: {} };
  bench.inner.run().answer({ inputRequests: { sure: { is: 'form', message: 'Sure?', schema } } });
  expect((await called).error).toMatchObject({ class: 'bad_request', lacks: ['form'] });
});

test('What an inner call has cost is in the usage of the outer one', async () => {
  const bench = setUp();
  const { running, called } = await callWithin(bench);
  const usage = { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false };
  const report = {
    reasons: [],
    attempts: [],
    notices: [],
    usage,
    costMicroUsd: 2_000,
    costKnown: true,
    quality: 'full',
  } as const;
  bench.inner.run().answer({ text: 'paid', askReports: [report] });
  await called;
  bench.outer.run().answer({ text: 'whole' });
  expect((await running.answer).envelope.usage).toMatchObject({ input: 10, cost_usd: 0.002 });
  expect(bench.store.recorded.map(({ tool }) => tool)).toEqual(['inner', 'outer']);
});
