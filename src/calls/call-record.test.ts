import { describe, expect, test } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { isLogged } from '#core/telemetry/logged-errors.ts';
import type { Log, LogFields, Metrics } from '#core/telemetry/telemetry.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createCallObserver } from './call-record.ts';
import {
  createMemoryStore,
  createTestCalls,
  OWNER,
  probeTool,
  settled,
  stateOf,
} from './calls.fixture.ts';

describe('call observer', () => {
  function observed() {
    const lines: { level: string; event: string; fields: LogFields | undefined }[] = [];
    const labels: unknown[] = [];
    const add = (level: string) => (event: string, fields?: LogFields) =>
      void lines.push({ level, event, fields });
    const log: Log = { info: add('info'), warn: add('warn'), error: add('error'), with: () => log };
    const metrics: Metrics = {
      counter: () => ({ add: (given) => void labels.push(given) }),
      histogram: () => ({ observe: () => undefined }),
      gauge: () => undefined,
    };
    const clock = createFakeClock();
    return { lines, labels, clock, observer: createCallObserver(metrics, log, clock) };
  }

  const ABOUT = {
    reqId: 'req_1',
    elapsedMs: 1.4,
    requestedName: 'probe',
    transport: 'unix',
    principal: 'local',
    client: 'claude-code',
  };

  test('a call that succeeds is logged with its tool, time and caller', () => {
    const { lines, observer } = observed();
    observer.ended('probe', 'success', undefined, ABOUT);
    const fields = { tool: 'probe', status: 'success', elapsed_ms: 1, client: 'claude-code' };
    expect(lines).toMatchObject([{ level: 'info', event: 'call_ended', fields }]);
  });

  test('many calls in a minute do not fill the log', () => {
    const { lines, observer, clock } = observed();
    const call = () => observer.ended('probe', 'success', undefined, ABOUT);
    for (let n = 0; n < 1000; n++) call();
    expect(lines).toHaveLength(600);
    clock.advance(60_000);
    call();
    expect(lines.slice(600)).toMatchObject([
      { event: 'call_ended_more', fields: { left_out: 400 } },
      { event: 'call_ended' },
    ]);
  });

  test.each<[ErrorClass, string]>([
    ['validation', 'info'],
    ['not_found', 'info'],
    ['bad_request', 'info'],
    ['permission', 'info'],
    ['cancelled', 'info'],
    ['timeout', 'warn'],
    ['over_capacity', 'warn'],
    ['auth', 'warn'],
    ['internal', 'error'],
  ])('a call that fails as %s is of level %s', (errorClass, level) => {
    const { lines, observer } = observed();
    observer.ended('probe', 'error', new CallError(errorClass, 'No.'), ABOUT);
    expect(lines).toMatchObject([{ level, event: 'call_failed' }]);
  });

  test('the name of an unknown tool is in the log, short and on one line, and no label', () => {
    const { lines, labels, observer } = observed();
    const requestedName = `stat\nsu${'x'.repeat(500)}`;
    observer.ended('unknown', 'error', new CallError('not_found', 'No.'), {
      ...ABOUT,
      requestedName,
    });
    expect(labels).toEqual([{ tool: 'unknown', outcome: 'not_found' }]);
    const [line] = lines;
    expect(line?.fields?.['tool']).toMatch(/^stat sux+…$/);
    expect(line?.fields?.['tool']).toHaveLength(128);
  });

  verifies('log:levels', 'mistakes without end do not fill the log', () => {
    const { lines, observer } = observed();
    const error = new CallError('validation', 'No.');
    for (let n = 0; n < 1000; n++) observer.ended('probe', 'error', error, ABOUT);
    expect(lines).toHaveLength(60);
  });

  test('a failure that was logged is known as such, and no other is', () => {
    const { observer } = observed();
    const error = new CallError('validation', 'No.');
    expect(isLogged(error)).toBe(false);
    observer.ended('probe', 'error', error, ABOUT);
    expect(isLogged(error)).toBe(true);
    expect(isLogged(new CallError('validation', 'No.'))).toBe(false);
  });
});

describe('audit row', () => {
  verifies(
    'calls:audit',
    'a reading call is recorded with caller, tool, time and outcome, and never with its content',
    async () => {
      const probe = probeTool();
      const { start, store, clock } = createTestCalls([probe.tool]);
      const caller = asAgent({ ...OWNER, principal: 'ide' }, 'main');
      const running = start('mcp__exai__probe', { topic: 'a secret matter' }, { caller });
      await settled();
      clock.advance(12.3456);
      probe.run().answer({ text: 'a secret answer' });
      await running.answer;
      expect(store.recorded).toEqual([]);
      expect(store.noted).toEqual([
        {
          reqId: running.reqId,
          at: clock.now(),
          principal: 'ide',
          agent: 'main',
          door: 'ws',
          tool: 'probe',
          status: 'success',
          errorClass: null,
          argsSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          elapsedMs: 12.346,
          metadata: probe.run().context.metadata,
          access: {
            verdict: 'read_only',
            because: [
              { code: 'agent_row_reads', row: 'read:*/* does=reads' },
              { code: 'scope_covers_all' },
            ],
          },
        },
      ]);
      expect(JSON.stringify(store.noted)).not.toContain('secret');
    },
  );

  verifies('calls:audit', 'a refused call has a row, too', async () => {
    const { answer, store } = createTestCalls([probeTool().tool]);
    const { envelope } = await answer('no_such_tool');
    await answer('probe', { nonsense: 1 });
    expect(store.noted.map(({ tool, status, errorClass }) => [tool, status, errorClass])).toEqual([
      ['no_such_tool', 'error', 'not_found'],
      ['probe', 'error', 'validation'],
    ]);
    expect(store.noted[0]?.reqId).toBe(envelope.req_id);
  });

  verifies('calls:audit', 'a changing call is answered only when its row is on disk', async () => {
    const probe = probeTool({ effect: 'changes' });
    const store = createMemoryStore('when-told');
    const { start } = createTestCalls([probe.tool], { store });
    const running = start('probe');
    await settled();
    probe.run().answer();
    expect(await stateOf(running)).toBe('open');
    expect(store.recorded.map(({ reqId }) => reqId)).toEqual([running.reqId]);
    store.commits[0]?.done();
    expect((await running.answer).envelope.status).toBe('success');
  });

  test.each([
    ['failed', (run: { fail(thrown: unknown): void }) => run.fail(new CallError('network', 'x'))],
    ['broke', (run: { fail(thrown: unknown): void }) => run.fail(new TypeError('a bug'))],
  ])(
    'a changing call that %s may have changed something, so its row comes first, too',
    async (_, end) => {
      const probe = probeTool({ effect: 'changes' });
      const store = createMemoryStore('when-told');
      const { start } = createTestCalls([probe.tool], { store });
      const running = start('probe');
      await settled();
      end(probe.run());
      expect(await stateOf(running)).toBe('open');
      store.commits[0]?.done();
      expect((await running.answer).envelope.status).toBe('error');
    },
  );

  verifies('calls:audit', 'a changing call that never ran is only noted', async () => {
    const probe = probeTool({ effect: 'changes', pool: 'provider' });
    const { start, store } = createTestCalls([probe.tool], {
      limits: { global: 1 },
      maxWaiting: 1,
    });
    start('probe');
    start('probe').cancel();
    start('probe');
    await start('probe').answer;
    await settled();
    expect(store.noted.map(({ errorClass }) => errorClass)).toEqual(['cancelled', 'over_capacity']);
    expect(store.recorded).toEqual([]);
  });

  verifies(
    'calls:audit',
    'a row that cannot be stored is reported with what to do about it',
    async () => {
      const probe = probeTool({ effect: 'changes' });
      const store = createMemoryStore('when-told');
      const { start } = createTestCalls([probe.tool], { store });
      const running = start('probe');
      await settled();
      probe.run().answer();
      await settled();
      store.commits[0]?.failed(new CallError('over_capacity', 'The disk is full.'));
      const { error, envelope } = await running.answer;
      expect(error?.class).toBe('over_capacity');
      expect(envelope).toMatchObject({
        status: 'error',
        error_class: 'over_capacity',
        attempt: 0,
        tool: 'probe',
        req_id: running.reqId,
        detail:
          'probe ran, but its record could not be stored. The disk is full. Look whether it took effect before you send it again.',
        // What it said may have been paid for, and is all that there is of it.
        content: 'done',
      });
    },
  );

  verifies('calls:audit', 'a store that is far behind makes even a reading call wait', async () => {
    const probe = probeTool();
    let catchUp: () => void = () => undefined;
    const store = {
      ...createMemoryStore(),
      recordLazily: () => new Promise<void>((resolve) => (catchUp = resolve)),
    };
    const { start } = createTestCalls([probe.tool], { store });
    const running = start('probe');
    await settled();
    probe.run().answer();
    expect(await stateOf(running)).toBe('open');
    catchUp();
    expect((await running.answer).envelope.status).toBe('success');
  });

  test('a reading call waits for a store that is far behind until its deadline only', async () => {
    const probe = probeTool();
    const store = {
      ...createMemoryStore(),
      recordLazily: () => new Promise<void>(() => undefined),
    };
    const { start, clock } = createTestCalls([probe.tool], { store });
    const running = start('probe', {}, { timeoutMs: 8000 });
    await settled();
    probe.run().answer();
    expect(await stateOf(running)).toBe('open');
    clock.advance(8500);
    expect((await running.answer).envelope.status).toBe('success');
  });

  verifies(
    'calls:audit',
    'a tool that throws instead of answering is a failed call, and frees its slot',
    async () => {
      const { tool } = probeTool({ pool: 'glm' });
      const broken = {
        ...tool,
        run() {
          throw new TypeError('secret: sk-123');
        },
      };
      const { answer, limiter, log } = createTestCalls([broken]);
      const { error, text } = await answer('probe');
      expect(error?.class).toBe('internal');
      expect(text).not.toContain('sk-123');
      expect(limiter.running).toBe(0);
      expect(log.lines.map(({ event }) => event)).toEqual(['call_failed']);
    },
  );

  verifies(
    'calls:audit',
    'a success has one envelope: the content as data, the text for people, the tool’s own status and notice',
    async () => {
      const probe = probeTool({ coalesce: false });
      const { start } = createTestCalls([probe.tool]);
      const plain = start('probe');
      const rich = start('probe');
      await settled();
      probe.run(0).answer({ text: 'hello' });
      probe
        .run(1)
        .answer({ text: 'two', content: { count: 2 }, status: 'degraded', detail: 'partly' });
      expect(await plain.answer).toEqual({
        text: 'hello',
        envelope: {
          status: 'success',
          tool: 'probe',
          attempt: 0,
          req_id: plain.reqId,
          content: 'hello',
        },
      });
      expect(await rich.answer).toEqual({
        text: 'two',
        envelope: {
          status: 'degraded',
          tool: 'probe',
          attempt: 0,
          req_id: rich.reqId,
          detail: 'partly',
          content: { count: 2 },
        },
      });
    },
  );
});
