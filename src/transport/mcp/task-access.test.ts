import { describe, expect, test } from 'vitest';
import { success } from './session.fixture.ts';
import { createTaskSession } from './tasks.fixture.ts';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];
const ASKS = { round: 1, questions: { who: { is: 'roots' } } } as const;
const ANSWERS = { inputResponses: { who: { roots: [] } } };

describe('a task', () => {
  test('is followed by who may use its tool, and may use no tool of jobs', async () => {
    const { ask, jobs, calls } = createTaskSession();
    for (const name of ['job_result', 'job_cancel', 'job_list']) calls.denied.add(name);
    jobs.put('job_1', { status: 'input_required', pendingInput: ASKS });
    for (const method of METHODS) {
      expect(await ask(1, method, { taskId: 'job_1', ...ANSWERS })).toMatchObject({ result: {} });
    }
    expect([jobs.answered.length, jobs.cancelled]).toEqual([1, ['job_1']]);
  });

  test('is refused to a caller that may not use its tool, with the reason', async () => {
    const { ask, jobs, calls } = createTaskSession();
    calls.denied.add('wait');
    jobs.put('job_1', { status: 'input_required', pendingInput: ASKS });
    jobs.put('job_2', { status: 'done', answer: success('wait', 'req_1', 'private') });
    for (const taskId of ['job_1', 'job_2']) {
      for (const method of METHODS) {
        const told = await ask(1, method, { taskId, ...ANSWERS });
        expect(told).toMatchObject({
          error: {
            code: -31051,
            message:
              'Access to wait is denied. No scope of ide names wait. See why with: exai access explain wait',
            data: { error_class: 'permission' },
          },
        });
        expect(JSON.stringify(told)).not.toContain('private');
      }
    }
    expect([jobs.answered, jobs.cancelled]).toEqual([[], []]);
  });

  test('is out of reach of a connection that has outlived its token, whether there is one or not', async () => {
    const { ask, jobs, calls } = createTaskSession();
    calls.isGood = false;
    jobs.put('job_1', { status: 'input_required', pendingInput: ASKS });
    for (const taskId of ['job_1', 'job_2']) {
      for (const method of METHODS) {
        expect(await ask(1, method, { taskId, ...ANSWERS })).toMatchObject({
          error: { code: -31050, data: { error_class: 'auth' } },
        });
      }
    }
    expect([jobs.reads, jobs.answered, jobs.cancelled]).toEqual([0, [], []]);
  });

  test('is out of reach, too, when the token ends while it is looked up', async () => {
    const { ask, jobs, calls } = createTaskSession();
    jobs.put('job_1');
    const release = jobs.hold();
    const told = ask(1, 'tasks/cancel', { taskId: 'job_1' });
    calls.isGood = false;
    release();
    expect(await told).toMatchObject({ error: { code: -31050 } });
    expect(jobs.cancelled).toEqual([]);
  });
});
