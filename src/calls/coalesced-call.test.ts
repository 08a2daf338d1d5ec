import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import { createTestCalls, OWNER, probeTool, settled, stateOf } from './calls.fixture.ts';

describe('identical calls of one principal at the same time', () => {
  verifies(
    'calls:coalesce',
    'run once, and each has its own id, answer and audit row',
    async () => {
      const probe = probeTool({ pool: 'provider' });
      const { start, store, limiter } = createTestCalls([probe.tool]);
      const first = start('probe', { topic: 'x', depth: 2 });
      const second = start('probe_EXAI-WS', { depth: 2, topic: 'x' }, { session: 's2' });
      expect(limiter.running).toBe(1);
      await settled();
      probe.run().answer({ text: 'found' });
      const answers = await Promise.all([first.answer, second.answer]);
      expect(probe.runs).toHaveLength(1);
      expect(answers.map(({ text, envelope }) => [text, envelope.req_id])).toEqual([
        ['found', first.reqId],
        ['found', second.reqId],
      ]);
      expect(store.noted.map(({ reqId, sharedWith }) => [reqId, sharedWith])).toEqual([
        [first.reqId, undefined],
        [second.reqId, first.reqId],
      ]);
    },
  );

  verifies(
    'calls:coalesce',
    'continue for the others when one is cancelled, and stop with the last',
    async () => {
      const probe = probeTool();
      const { start } = createTestCalls([probe.tool]);
      const [first, second] = [start('probe'), start('probe')];
      await settled();
      const { signal } = probe.run().context;
      first.cancel();
      expect((await first.answer).error?.class).toBe('cancelled');
      expect([signal.aborted, await stateOf(second)]).toEqual([false, 'open']);
      second.cancel();
      expect((await second.answer).error?.class).toBe('cancelled');
      expect(signal.aborted).toBe(true);
    },
  );

  verifies(
    'calls:coalesce',
    'begin anew when the work they could have joined was given up',
    async () => {
      const probe = probeTool();
      const { start } = createTestCalls([probe.tool]);
      start('probe').cancel();
      const next = start('probe');
      await settled();
      expect(probe.runs).toHaveLength(2);
      probe.run(0).answer({ text: 'too late' });
      await settled();
      probe.run(1).answer({ text: 'in time' });
      expect((await next.answer).text).toBe('in time');
    },
  );

  verifies('calls:coalesce', 'each keep their own deadline', async () => {
    const probe = probeTool({ timeoutMs: 1000 });
    const { start, clock } = createTestCalls([probe.tool]);
    const first = start('probe');
    clock.advance(600);
    const second = start('probe');
    clock.advance(500);
    expect((await first.answer).error?.class).toBe('timeout');
    await settled();
    expect(probe.run().context.signal.aborted).toBe(false);
    expect(probe.run().context.deadline.at).toBe(1600);
    probe.run().answer();
    expect((await second.answer).envelope.status).toBe('success');
  });

  verifies('calls:coalesce', 'hear the same progress', async () => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    const heard: [string, Progress][] = [];
    for (const who of ['a', 'b'])
      start('probe', {}, { onProgress: (step) => void heard.push([who, step]) });
    await settled();
    probe.run().context.progress({ note: 'half', done: 1, total: 2 });
    expect(heard).toEqual([
      ['a', { note: 'half', done: 1, total: 2 }],
      ['b', { note: 'half', done: 1, total: 2 }],
    ]);
  });
});

test.each([
  ['another principal', { caller: { ...OWNER, principal: 'ide' } }],
  ['another agent', { caller: { ...OWNER, agent: 'main' } }],
])('work is not shared with %s', async (_, other) => {
  const probe = probeTool();
  const { start } = createTestCalls([probe.tool]);
  start('probe');
  start('probe', {}, other);
  await settled();
  expect(probe.runs).toHaveLength(2);
});

test.each([
  ['other arguments', { name: 'probe' }, { topic: 'y' }],
  ['a tool that does more when called twice', { effect: 'changes' }, { topic: 'x' }],
] as const)('work is not shared with %s', async (_, about, args) => {
  const probe = probeTool(about);
  const { start } = createTestCalls([probe.tool]);
  start('probe', { topic: 'x' });
  start('probe', args);
  await settled();
  expect(probe.runs).toHaveLength(2);
});

verifies(
  'calls:coalesce',
  'nothing is cached: the call after a result or an error runs again',
  async () => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    const failing = start('probe');
    await settled();
    probe.run(0).fail(new CallError('network', 'gone'));
    expect((await failing.answer).error?.class).toBe('network');
    const second = start('probe');
    await settled();
    probe.run(1).answer();
    expect((await second.answer).envelope.status).toBe('success');
    start('probe');
    await settled();
    expect(probe.runs).toHaveLength(3);
  },
);

describe('a cancelled call', () => {
  verifies('calls:cancel', 'stops its work, frees its slot and is answered once', async () => {
    const probe = probeTool({ pool: 'kimi', coalesce: false });
    const { start, limiter, clock } = createTestCalls([probe.tool]);
    const running = start('probe');
    await settled();
    const { signal } = probe.run().context;
    signal.addEventListener('abort', () => probe.run().fail(signal.reason));
    running.cancel();
    running.cancel(new CallError('interrupted', 'again'));
    const { error, text } = await running.answer;
    expect([error?.class, text]).toEqual(['cancelled', 'The call was cancelled.']);
    await settled();
    expect([limiter.running, limiter.inUse('kimi'), clock.waiting]).toEqual([0, 0, 1]);
    // What is left is the log's minute.
    clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  });

  verifies('calls:cancel', 'that reads its signal late finds it aborted already', async () => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    start('probe').cancel(new CallError('interrupted', 'The daemon is stopping.'));
    expect(probe.run().context.signal.reason).toMatchObject({ class: 'interrupted' });
  });

  verifies(
    'calls:cancel',
    'keeps its slot for a second when its work does not heed the signal, and no longer',
    async () => {
      const probe = probeTool({ pool: 'provider', coalesce: false });
      const { start, limiter, clock } = createTestCalls([probe.tool], { limits: { global: 1 } });
      const deaf = start('probe');
      const next = start('probe');
      deaf.cancel();
      expect((await deaf.answer).error?.class).toBe('cancelled');
      clock.advance(999);
      await settled();
      expect([limiter.running, probe.runs.length]).toEqual([1, 1]);
      clock.advance(1);
      await settled();
      expect([limiter.running, probe.runs.length]).toEqual([1, 2]);
      // Its late end takes nothing from the one that has the slot now.
      probe.run(0).answer();
      await settled();
      expect(limiter.running).toBe(1);
      probe.run(1).answer();
      expect((await next.answer).envelope.status).toBe('success');
      expect(limiter.running).toBe(0);
    },
  );

  verifies('calls:cancel', 'that still waits leaves the queue and never runs', async () => {
    const probe = probeTool({ pool: 'provider', coalesce: false });
    const { start, calls } = createTestCalls([probe.tool], { limits: { global: 1 } });
    start('probe');
    const waiting = start('probe');
    waiting.cancel();
    expect((await waiting.answer).error?.class).toBe('cancelled');
    expect(calls.load()).toMatchObject({ running: 1, waiting: 0 });
    probe.run(0).answer();
    await settled();
    expect(probe.runs).toHaveLength(1);
  });

  verifies(
    'calls:cancel',
    'that was granted its place in the same moment gives it back',
    async () => {
      const probe = probeTool({ pool: 'provider', coalesce: false });
      const { start, limiter, calls } = createTestCalls([probe.tool], { limits: { global: 1 } });
      const first = start('probe');
      const second = start('probe');
      void first.answer.then(() => second.cancel());
      probe.run(0).answer();
      await settled();
      second.cancel();
      await settled();
      for (const run of probe.runs.slice(1)) run.answer();
      await settled();
      expect([limiter.running, limiter.waiting, calls.load().running]).toEqual([0, 0, 0]);
    },
  );

  verifies(
    'calls:cancel',
    'hears of no progress any more, and cancelling after the answer changes nothing',
    async () => {
      const probe = probeTool({ coalesce: false });
      const { start, store } = createTestCalls([probe.tool]);
      const heard: Progress[] = [];
      const onProgress = (step: Progress) => void heard.push(step);
      const cancelled = start('probe', {}, { onProgress });
      const done = start('probe', {}, { onProgress });
      await settled();
      cancelled.cancel();
      probe.run(0).context.progress({ note: 'late' });
      probe.run(1).answer();
      await done.answer;
      probe.run(1).context.progress({ note: 'later' });
      done.cancel();
      expect(heard).toEqual([]);
      expect(probe.run(1).context.signal.aborted).toBe(false);
      expect(store.noted).toHaveLength(2);
    },
  );
});

describe('the deadline', () => {
  verifies(
    'calls:deadline',
    'answers with timeout at the tool’s time, and tells the work',
    async () => {
      const probe = probeTool({ timeoutMs: 90_000 });
      const { start, clock } = createTestCalls([probe.tool]);
      const running = start('probe');
      await settled();
      const { signal } = probe.run().context;
      clock.advance(89_999);
      expect(await stateOf(running)).toBe('open');
      clock.advance(1);
      const { error, envelope } = await running.answer;
      expect([error?.class, envelope.status]).toEqual(['timeout', 'error']);
      expect(signal.reason).toMatchObject({ class: 'timeout' });
    },
  );

  test.each([
    [700, 700],
    [5000, 2000],
  ])('of a client that wants %d ms is after %d ms', async (timeoutMs, expected) => {
    const probe = probeTool({ timeoutMs: 2000 });
    const { start, clock } = createTestCalls([probe.tool]);
    const running = start('probe', {}, { timeoutMs });
    clock.advance(expected - 1);
    expect(await stateOf(running)).toBe('open');
    clock.advance(1);
    expect((await running.answer).error?.class).toBe('timeout');
  });

  verifies('calls:deadline', 'also ends the wait in the queue', async () => {
    const probe = probeTool({ pool: 'provider', coalesce: false, timeoutMs: 1000 });
    const { start, calls, clock } = createTestCalls([probe.tool], { limits: { global: 1 } });
    start('probe');
    const waiting = start('probe', {}, { timeoutMs: 300 });
    clock.advance(300);
    expect((await waiting.answer).error?.class).toBe('timeout');
    expect(calls.load().waiting).toBe(0);
  });

  verifies('calls:deadline', 'does not move when the machine’s time is changed', async () => {
    const probe = probeTool({ timeoutMs: 1000 });
    const { start, clock } = createTestCalls([probe.tool]);
    const running = start('probe');
    clock.jump(3_600_000);
    clock.advance(999);
    expect(await stateOf(running)).toBe('open');
  });
});
