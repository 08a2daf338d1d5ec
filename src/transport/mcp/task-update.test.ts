import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { SERVER_META, success } from './session.fixture.ts';
import { createTaskSession } from './tasks.fixture.ts';

const COMPLETE = { resultType: 'complete', _meta: SERVER_META };
const NAME_FORM = { is: 'form', message: 'Your name?', schema: { type: 'object' } } as const;
const NAME_REQUEST = {
  method: 'elicitation/create',
  params: { message: 'Your name?', requestedSchema: { type: 'object' } },
};

function reply(id: number, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

function asking(round: number, ...names: readonly string[]): object {
  const questions = Object.fromEntries(names.map((name) => [name, NAME_FORM]));
  return { status: 'input_required', pendingInput: { round, questions } };
}

describe('tasks/update', () => {
  verifies(
    'tasks:input',
    'answers the input requests; the same name in a later round has another key',
    async () => {
      const { ask, jobs } = createTaskSession();
      jobs.put('job_1', asking(1, 'name', 'age'));
      expect(await ask(1, 'tasks/get', { taskId: 'job_1' })).toMatchObject({
        result: {
          status: 'input_required',
          inputRequests: { name: NAME_REQUEST, age: NAME_REQUEST },
        },
      });
      const accept = { action: 'accept', content: { name: 'Ada' } };
      const update = (id: number, inputResponses: unknown) =>
        ask(id, 'tasks/update', { taskId: 'job_1', inputResponses });
      expect(await update(2, { name: accept, unknown: { any: 1 } })).toEqual(reply(2, COMPLETE));
      jobs.change('job_1', asking(1, 'age'));
      expect(await ask(3, 'tasks/get', { taskId: 'job_1' })).toMatchObject({
        result: { inputRequests: { age: NAME_REQUEST } },
      });
      jobs.change('job_1', asking(2, 'name'));
      const second = (await ask(4, 'tasks/get', { taskId: 'job_1' })) as {
        result: { inputRequests: object };
      };
      expect(Object.keys(second.result.inputRequests)).toEqual(['name-2']);
      await update(5, { name: accept });
      await update(6, { 'name-2': accept });
      expect(jobs.answered).toEqual([
        { id: 'job_1', round: 1, answers: { name: accept } },
        { id: 'job_1', round: 2, answers: { name: accept } },
      ]);
    },
  );

  verifies(
    'tasks:input',
    'with wrong keys, or of a task that asks nothing, changes nothing and is acknowledged',
    async () => {
      const { ask, jobs } = createTaskSession();
      jobs.put('job_1', asking(1, 'name', 'constructor'));
      jobs.put('job_2', { status: 'done', answer: success('wait', 'req_1', 1) });
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, {}]));
      const hostile = JSON.parse('{"__proto__": {"name": {}}, "toString": {}}') as object;
      for (const inputResponses of [{}, many, hostile, { 'name-2': {} }, { toString: 'text' }]) {
        const told = await ask(1, 'tasks/update', { taskId: 'job_1', inputResponses });
        expect(told).toEqual(reply(1, COMPLETE));
      }
      const told = await ask(2, 'tasks/update', { taskId: 'job_2', inputResponses: { name: {} } });
      expect(told).toEqual(reply(2, COMPLETE));
      expect(jobs.answered).toEqual([]);
    },
  );

  test('with an invalid answer is refused by name', async () => {
    const { ask, jobs } = createTaskSession();
    jobs.put('job_1', asking(1, 'name'));
    for (const inputResponses of [undefined, null, [], 'name', { name: 'Ada' }, { name: [] }]) {
      const told = await ask(1, 'tasks/update', { taskId: 'job_1', inputResponses });
      expect(told).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('inputResponses') as string },
      });
    }
    expect(jobs.answered).toEqual([]);
  });
});
