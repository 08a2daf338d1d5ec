import { describe, expect, test } from 'vitest';
import type { Results } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import { envelopeOf, withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import { KEPT_MS, running } from './jobs.fixture.ts';
import {
  failure,
  INITIALIZE,
  MODERN_META,
  notification,
  request,
  rpcError,
  SERVER_META,
  success,
} from './session.fixture.ts';
import { createTaskSession, TASKS_META } from './tasks.fixture.ts';
import { inputAnswers, inputKey, inputRequests } from './tasks.ts';

interface TaskReply {
  readonly result: { readonly result: { readonly structuredContent?: unknown } };
}

describe('tasks', () => {
  const CREATED_AT = '2025-10-10T00:05:49.591Z';
  const COMPLETE = { resultType: 'complete', _meta: SERVER_META };

  function reply(id: number, result: object): object {
    return { jsonrpc: '2.0', id, result };
  }

  describe('a call that becomes a task', () => {
    test('is answered with the task itself, flat and without what it came to', async () => {
      const { say, channel, calls, jobs, handOffOf } = createTaskSession();
      say(request(1, 'tools/call', { name: 'wait', _meta: TASKS_META }));
      expect(handOffOf(0)).toMatchObject({ afterMs: 5000, as: 'task' });
      jobs.put('job_1', { progress: { note: 'asking glm-5.3' } });
      calls.started[0]?.answer(running('job_1', CREATED_AT));
      const task = {
        resultType: 'task',
        taskId: 'job_1',
        status: 'working',
        statusMessage: 'asking glm-5.3',
        createdAt: CREATED_AT,
        lastUpdatedAt: CREATED_AT,
        ttlMs: KEPT_MS,
        pollIntervalMs: 1000,
        _meta: SERVER_META,
      };
      expect(await channel.next(1)).toEqual([reply(1, task)]);
    });

    test('is answered so even if the store cannot tell of it at that moment', async () => {
      const { say, channel, calls, jobs } = createTaskSession();
      say(request(1, 'tools/call', { name: 'wait', _meta: TASKS_META }));
      jobs.failsWith = new CallError('network', 'The store is away.');
      calls.started[0]?.answer(running('job_1', CREATED_AT));
      expect(await channel.next(1)).toMatchObject([
        {
          id: 1,
          result: { resultType: 'task', taskId: 'job_1', createdAt: CREATED_AT, ttlMs: null },
        },
      ]);
    });

    test('is a result that says how to fetch it, for a client that does not follow tasks', async () => {
      const { say, channel, calls } = createTaskSession();
      say(request(1, 'tools/call', { name: 'wait', _meta: MODERN_META }));
      calls.started[0]?.answer(running('job_1', CREATED_AT));
      const [told] = (await channel.next(1)) as { result: object }[];
      expect(told).toMatchObject({
        result: {
          resultType: 'complete',
          content: [{ type: 'text', text: 'It goes on as job job_1.' }],
          ...withEnvelope({ status: 'running', job: { id: 'job_1' } }),
        },
      });
      expect(told?.result).not.toHaveProperty('taskId');
    });

    test('is not what tells of the task of another call', async () => {
      const { say, channel, calls, jobs } = createTaskSession();
      jobs.put('job_1');
      const tools = ['job_result', 'wait', 'wait'];
      tools.forEach((name, n) => say(request(n + 1, 'tools/call', { name, _meta: TASKS_META })));
      const { envelope, text } = running('job_1', CREATED_AT);
      const withReqId = (req_id: string) => ({ envelope: { ...envelope, req_id }, text });
      calls.started[0]?.answer(withReqId('req_1'));
      calls.started[1]?.answer(withReqId('req_1'));
      calls.started[2]?.answer(withReqId('req_3'));
      const told = (await channel.next(3)) as { id: number; result: { resultType: string } }[];
      expect(told.map(({ id, result }) => [id, result.resultType])).toEqual([
        [1, 'complete'],
        [2, 'complete'],
        [3, 'task'],
      ]);
      expect(told[0]?.result).toMatchObject({
        ...withEnvelope({ status: 'running', job: { id: 'job_1' } }),
      });
    });

    test('is not answered when it was cancelled while its task was looked up', async () => {
      const { say, channel, calls, jobs } = createTaskSession();
      say(request(1, 'tools/call', { name: 'wait', _meta: TASKS_META }));
      jobs.put('job_1');
      const release = jobs.hold();
      calls.started[0]?.answer(running('job_1', CREATED_AT));
      await Promise.resolve();
      say(notification('notifications/cancelled', { requestId: 1 }));
      release();
      say(request(1, 'tools/call', { name: 'echo', _meta: TASKS_META }));
      expect(await channel.next(1)).toMatchObject([{ id: 1, result: { resultType: 'complete' } }]);
      expect(channel.take()).toEqual([]);
    });
  });

  describe('tasks/get', () => {
    test('tells how the work stands, and asks to look less often the longer it takes', async () => {
      const { ask, jobs, clock } = createTaskSession();
      jobs.put('job_1', { status: 'queued' });
      const seen: unknown[] = [];
      for (const ms of [0, 20_000, 100_000]) {
        clock.advance(ms);
        seen.push(await ask(1, 'tasks/get', { taskId: 'job_1' }));
      }
      expect(seen[0]).toEqual(
        reply(1, {
          ...COMPLETE,
          taskId: 'job_1',
          status: 'working',
          statusMessage: 'It waits for its turn.',
          createdAt: CREATED_AT,
          lastUpdatedAt: CREATED_AT,
          ttlMs: KEPT_MS,
          pollIntervalMs: 1000,
        }),
      );
      expect(seen.slice(1)).toMatchObject([
        { result: { pollIntervalMs: 2000 } },
        { result: { pollIntervalMs: 5000 } },
      ]);
    });

    test('gives exactly what the call would have been answered with', async () => {
      const { say, channel, ask, jobs, calls } = createTaskSession();
      const good = success('wait', 'req_1', 'said');
      const bad = failure(
        'wait',
        'req_2',
        new CallError('overloaded', 'Busy.', { retryAfterMs: 9 }),
      );
      say(request(1, 'tools/call', { name: 'wait', _meta: MODERN_META }));
      say(request(2, 'tools/call', { name: 'wait', _meta: MODERN_META }));
      calls.started[0]?.answer(good);
      calls.started[1]?.answer(bad);
      const [one, two] = (await channel.next(2)) as { result: unknown }[];
      jobs.put('job_1', { status: 'done', answer: good });
      jobs.put('job_2', { status: 'failed', answer: bad });
      expect(await ask(3, 'tasks/get', { taskId: 'job_1' })).toMatchObject(
        reply(3, { status: 'completed', result: one?.result }),
      );
      expect(await ask(4, 'tasks/get', { taskId: 'job_2' })).toMatchObject(
        reply(4, { status: 'completed', statusMessage: 'Busy.', result: two?.result }),
      );
    });

    test('is "failed" only for a JSON-RPC error, and after a restart, too', async () => {
      const { ask, jobs } = createTaskSession();
      const error = new CallError('bad_request', 'It needs roots.', { lacks: ['roots'] });
      const kept = CallError.fromJSON(JSON.parse(JSON.stringify(error)));
      const answer = { ...failure('wait', 'req_1', error), error: kept };
      jobs.put('job_1', { status: 'failed', answer });
      const told = (await ask(1, 'tasks/get', { taskId: 'job_1' })) as { result: object };
      expect(told).toMatchObject({
        result: {
          resultType: 'complete',
          status: 'failed',
          statusMessage: 'It needs roots.',
          error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
        },
      });
      expect(told.result).not.toHaveProperty('result');
    });

    test('of work that its daemon did not survive gives the failure with what there was of it', async () => {
      const { ask, jobs } = createTaskSession();
      const error = new CallError('interrupted', 'The daemon stopped.');
      const lost = failure('wait', 'req_1', error);
      jobs.put('job_1', {
        status: 'failed',
        answer: { ...lost, envelope: { ...lost.envelope, content: 'half of' } },
      });
      jobs.put('job_2', { status: 'done' });
      expect(await ask(1, 'tasks/get', { taskId: 'job_1' })).toMatchObject({
        result: {
          status: 'completed',
          result: { isError: true, ...withEnvelope({ content: 'half of' }) },
        },
      });
      expect(await ask(2, 'tasks/get', { taskId: 'job_2' })).toMatchObject({
        result: { status: 'failed', error: { code: -32603 } },
      });
    });

    verifies('tools:text-first', 'has structured content only where it is set', async () => {
      const answer = success('wait', 'req_1', 'done');
      for (const outputSchemas of [false, true]) {
        const { ask, jobs } = createTaskSession({ deps: { outputSchemas } });
        jobs.put('job_1', { status: 'done', answer });
        const reply = (await ask(1, 'tasks/get', { taskId: 'job_1' })) as TaskReply;
        const { result } = reply.result;
        expect(envelopeOf(result)).toEqual(answer.envelope);
        expect(result.structuredContent).toEqual(outputSchemas ? answer.envelope : undefined);
      }
    });

    test('fits a long answer to its client, unless it wants the whole', async () => {
      const asked: unknown[] = [];
      const results: Pick<Results, 'fit'> = {
        fit(answer, principal, maxTokens) {
          asked.push([principal, maxTokens]);
          return { ...answer, text: 'head' };
        },
      };
      const deps = { results: results as Results, maxTokens: 100 };
      const { ask, say, channel, jobs } = createTaskSession({ deps });
      jobs.put('job_1', { status: 'done', answer: success('wait', 'req_1', 'all of it') });
      const text = (words: string) => ({ result: { result: { content: [{ text: words }] } } });
      expect(await ask(1, 'tasks/get', { taskId: 'job_1' })).toMatchObject(text('head'));
      const _meta = { ...TASKS_META, 'exai/whole': true };
      say(request(2, 'tasks/get', { taskId: 'job_1', _meta }));
      expect(await channel.next(1)).toMatchObject([text('"all of it"')]);
      expect(asked).toEqual([['local', 100]]);
    });

    verifies(
      'tasks:foreign',
      'of a removed task, or of another principal, is an invalid parameter',
      async () => {
        const { ask, jobs } = createTaskSession();
        jobs.put('job_1', { status: 'done', answer: success('wait', 'req_1', 1) });
        jobs.put('job_2', {}, 'somebody');
        expect(await ask(1, 'tasks/get', { taskId: 'job_1' })).toMatchObject({ result: {} });
        jobs.remove('job_1');
        for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
          for (const taskId of ['job_1', 'job_2', 'job_3']) {
            const told = await ask(2, method, { taskId, inputResponses: {} });
            expect(told).toEqual(rpcError(2, -32602));
          }
        }
        expect(jobs.cancelled).toEqual([]);
      },
    );

    test('reports an internal error as such', async () => {
      const { ask, jobs, log } = createTaskSession();
      jobs.failsWith = new CallError('network', 'The store is away.');
      expect(await ask(1, 'tasks/get', { taskId: 'job_1' })).toEqual(rpcError(1, -31061));
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      jobs.failsWith = undefined;
      jobs.put('job_1', { status: 'done', answer: success('wait', 'req_1', 1) });
      jobs.change('job_1', {
        answer: {
          text: '',
          envelope: { ...success('wait', 'req_1', 1).envelope, content: circle },
        },
      });
      expect(await ask(2, 'tasks/get', { taskId: 'job_1' })).toEqual(rpcError(2, -32603));
      expect(log.lines).toMatchObject([{ event: 'mcp_task_failed' }]);
    });

    test('is not answered when it was cancelled, nor when its client is gone', async () => {
      const { say, channel, session, jobs } = createTaskSession();
      jobs.put('job_1');
      const release = jobs.hold();
      const get = (id: number) =>
        say(request(id, 'tasks/get', { taskId: 'job_1', _meta: TASKS_META }));
      get(1);
      say(notification('notifications/cancelled', { requestId: 1, reason: 'Request timed out' }));
      get(1);
      release();
      expect(await channel.next(1)).toMatchObject([{ id: 1 }]);
      const again = jobs.hold();
      get(2);
      session.onClose();
      again();
      await Promise.resolve();
      expect(channel.take()).toEqual([]);
    });

    test('counts as something that its session owes an answer', async () => {
      const { say, channel, session, jobs } = createTaskSession();
      jobs.put('job_1');
      const release = jobs.hold();
      say(request(1, 'tasks/get', { taskId: 'job_1', _meta: TASKS_META }));
      say(request(1, 'tasks/get', { taskId: 'job_1', _meta: TASKS_META }));
      expect(channel.take()).toEqual([rpcError(1, -32600)]);
      let isDrained = false;
      const drained = session.drain().then(() => (isDrained = true));
      await Promise.resolve();
      expect(isDrained).toBe(false);
      release();
      await drained;
      expect(channel.take()).toMatchObject([{ id: 1, result: { status: 'working' } }]);
    });
  });

  describe('tasks/cancel', () => {
    test('is acknowledged without a word of the task, once and again', async () => {
      const { ask, jobs } = createTaskSession();
      jobs.put('job_1');
      for (const id of [1, 2]) {
        expect(await ask(id, 'tasks/cancel', { taskId: 'job_1' })).toEqual(reply(id, COMPLETE));
      }
      expect(await ask(3, 'tasks/get', { taskId: 'job_1' })).toMatchObject({
        result: { status: 'cancelled', statusMessage: 'It was cancelled.' },
      });
    });
  });

  describe('the methods of tasks', () => {
    const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

    test('are for clients that name the extension with the request', async () => {
      const { say, channel, jobs } = createTaskSession();
      jobs.put('job_1');
      for (const method of METHODS) {
        say(request(1, method, { taskId: 'job_1', inputResponses: {}, _meta: MODERN_META }));
        const requiredCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
        expect(await channel.next(1)).toMatchObject([
          { id: 1, error: { code: -32021, data: { requiredCapabilities } } },
        ]);
      }
      expect(jobs.reads).toBe(0);
    });

    for (const [what, taskId] of [
      ['a number', 7],
      ['nothing', undefined],
      ['an empty text', ''],
      ['a list', ['job_1']],
      ['a name of the prototype', { toString: 'job_1' }],
      ['far too long', 'j'.repeat(100_000)],
    ] as const) {
      test(`with an id that is ${what} are refused without a look`, async () => {
        const { ask, jobs } = createTaskSession();
        for (const method of METHODS) {
          const told = await ask(1, method, { taskId, inputResponses: {} });
          expect(told).toEqual(rpcError(1, -32602));
        }
        expect(jobs.reads).toBe(0);
      });
    }

    test('do not exist before 2026-07-28, nor where there are no jobs, nor by the names they had', () => {
      const legacy = createTaskSession();
      legacy.say(INITIALIZE);
      legacy.channel.take();
      for (const method of METHODS) legacy.say(request(1, method, { taskId: 'job_1' }));
      expect(legacy.channel.take()).toEqual(METHODS.map(() => rpcError(1, -32601)));
      const none = createTaskSession({ deps: { jobs: undefined as never } });
      for (const method of METHODS) {
        none.say(request(1, method, { taskId: 'job_1', _meta: TASKS_META }));
      }
      expect(none.channel.take()).toEqual(METHODS.map(() => rpcError(1, -32601)));
      const modern = createTaskSession();
      for (const method of ['tasks/result', 'tasks/list']) {
        modern.say(request(1, method, { taskId: 'job_1', _meta: TASKS_META }));
      }
      expect(modern.channel.take()).toEqual([rpcError(1, -32601), rpcError(1, -32601)]);
    });

    test('are announced by server/discover, where supported', () => {
      const extensions = { 'io.modelcontextprotocol/tasks': {} };
      const { say, channel } = createTaskSession();
      say(request(1, 'server/discover', { _meta: MODERN_META }));
      expect(channel.take()).toMatchObject([{ result: { capabilities: { extensions } } }]);
      const none = createTaskSession({ deps: { jobs: undefined as never } });
      none.say(request(1, 'server/discover', { _meta: MODERN_META }));
      const [told] = none.channel.take() as { result: { capabilities: object } }[];
      expect(told?.result.capabilities).not.toHaveProperty('extensions');
    });
  });
});

describe('task inputs', () => {
  const ROOTS = { is: 'roots' } as const;

  test('no two input requests of a task have the same key, whatever their names are', () => {
    const names = ['a', 'a-1', 'a-2', 'a-2-2', 'a-', '-1', '', '__proto__', '2'];
    const keys = [1, 2, 3, 12].flatMap((round) => names.map((name) => inputKey(name, round)));
    expect(new Set(keys).size).toBe(keys.length);
    expect([inputKey('name', 1), inputKey('name', 2)]).toEqual(['name', 'name-2']);
  });

  test('a question may have any name, and its answer is found again', () => {
    const questions = JSON.parse('{"__proto__":{"is":"roots"},"a-2":{"is":"roots"}}') as Record<
      string,
      typeof ROOTS
    >;
    const asks = { round: 1, questions };
    const asked = inputRequests(asks);
    expect(Object.keys(asked)).toEqual(['__proto__', 'a-2-1']);
    const responses = JSON.parse('{"__proto__":{"roots":[]},"a-2-1":{"roots":[1]}}') as object;
    expect(inputAnswers(asks, responses as never)).toEqual({
      answers: JSON.parse('{"__proto__":{"roots":[]},"a-2":{"roots":[1]}}') as object,
    });
    expect(inputAnswers(asks, {})).toEqual({ answers: {} });
    expect(inputAnswers({ round: 1, questions: { toString: ROOTS } }, {})).toEqual({ answers: {} });
  });

  test('an answer that is not an object is named', () => {
    expect(inputAnswers({ round: 3, questions: { a: ROOTS } }, { 'a-3': null })).toEqual({
      wrongKey: 'a-3',
    });
  });
});
