import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import {
  CALLER,
  MODERN_META,
  notification,
  request,
  rpcError,
  success,
} from './session.fixture.ts';
import { createTaskSession, TASKS_META, type TaskSession } from './tasks.fixture.ts';

const ID = 'io.modelcontextprotocol/subscriptionId';
const ASKS = { round: 1, questions: { who: { is: 'roots' } } } as const;

interface Told {
  readonly method: string;
  readonly params: {
    readonly taskId?: string;
    readonly status?: string;
    readonly _meta: Record<string, unknown>;
    readonly notifications?: { readonly taskIds?: readonly string[] };
  };
}

function listen({ say }: TaskSession, id: unknown, taskIds: unknown, meta: object = TASKS_META) {
  say(request(id, 'subscriptions/listen', { notifications: { taskIds }, _meta: meta }));
}

async function heard({ channel }: TaskSession, count: number): Promise<unknown[]> {
  const told = (await channel.next(count)) as Told[];
  return told.map(({ method, params }) => {
    const { notifications, taskId, status } = params;
    return method === 'notifications/tasks' ? [taskId, status] : notifications?.taskIds;
  });
}

/** All that was begun and needs no more than its own promises has happened. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

describe('a client that listens to tasks', () => {
  verifies(
    'tasks:foreign',
    'is acknowledged with the existing ones, then gets the full state at each change, as tasks/get returns it',
    async () => {
      const session = createTaskSession();
      const { jobs, channel, ask } = session;
      jobs.put('job_1');
      jobs.put('job_2', {}, 'somebody');
      listen(session, 's', ['job_1', 'job_2', 'job_3', 'job_1', 'x'.repeat(1000)]);
      expect(await heard(session, 1)).toEqual([['job_1']]);
      jobs.change('job_2', { status: 'done' });
      jobs.change('job_1', { status: 'input_required', pendingInput: ASKS });
      expect(await channel.next(1)).toMatchObject([
        {
          method: 'notifications/tasks',
          params: {
            taskId: 'job_1',
            status: 'input_required',
            inputRequests: { who: { method: 'roots/list' } },
            _meta: { [ID]: 's' },
          },
        },
      ]);
      const answer = success('wait', 'req_1', 'said');
      jobs.change('job_1', { status: 'done', pendingInput: undefined, answer });
      const [told] = (await channel.next(1)) as Told[];
      const got = (await ask(9, 'tasks/get', { taskId: 'job_1' })) as { result: object };
      expect(told?.params).toEqual({ ...withoutType(got.result), _meta: { [ID]: 's' } });
    },
  );

  test('that comes late is notified at once of finished tasks and input requests', async () => {
    const session = createTaskSession();
    const { jobs } = session;
    jobs.put('job_1', { status: 'cancelled' });
    jobs.put('job_2', { status: 'input_required', pendingInput: ASKS });
    jobs.put('job_3');
    listen(session, 's', ['job_1', 'job_2', 'job_3']);
    expect(await heard(session, 3)).toEqual([
      ['job_1', 'job_2', 'job_3'],
      ['job_1', 'cancelled'],
      ['job_2', 'input_required'],
    ]);
  });

  test('misses no change while its tasks are looked up, and gets it after that', async () => {
    const session = createTaskSession();
    const { jobs, channel } = session;
    jobs.put('job_1', { status: 'input_required', pendingInput: ASKS });
    const release = jobs.hold();
    listen(session, 's', ['job_1']);
    jobs.change('job_1', { status: 'cancelled', pendingInput: undefined });
    await quiet();
    expect(channel.take()).toEqual([]);
    release();
    expect(await heard(session, 2)).toEqual([['job_1'], ['job_1', 'cancelled']]);
    await quiet();
    expect(channel.take()).toEqual([]);
  });

  test('gets many changes in a row no more often than it can be notified', async () => {
    const session = createTaskSession();
    const { jobs, channel } = session;
    jobs.put('job_1');
    listen(session, 's', ['job_1']);
    await channel.next(1);
    const release = jobs.hold();
    for (let turn = 0; turn < 100; turn += 1) jobs.change('job_1', { runs: turn });
    jobs.change('job_1', { status: 'cancelled' });
    const { reads } = jobs;
    release();
    expect(await heard(session, 1)).toEqual([['job_1', 'cancelled']]);
    expect(jobs.reads - reads).toBeLessThan(3);
  });

  test('is spared what it need not act on while it reads slowly', async () => {
    const session = createTaskSession();
    const { jobs, channel } = session;
    jobs.put('job_1', { status: 'queued' });
    listen(session, 's', ['job_1']);
    await channel.next(1);
    channel.isClear = false;
    jobs.change('job_1', { status: 'running' });
    await quiet();
    expect(channel.take()).toEqual([]);
    jobs.change('job_1', { status: 'cancelled' });
    expect(await heard(session, 1)).toEqual([['job_1', 'cancelled']]);
  });

  test('gets nothing more once it cancels, even in the middle', async () => {
    const session = createTaskSession();
    const { jobs, channel, say, session: mcp } = session;
    jobs.put('job_1');
    const release = jobs.hold();
    listen(session, 's', ['job_1']);
    say(notification('notifications/cancelled', { requestId: 's' }));
    listen(session, 't', ['job_1']);
    release();
    expect(await heard(session, 1)).toEqual([['job_1']]);
    const again = jobs.hold();
    jobs.change('job_1', { status: 'cancelled' });
    say(notification('notifications/cancelled', { requestId: 't' }));
    again();
    await quiet();
    expect(channel.take()).toEqual([]);
    mcp.onClose();
    expect(jobs.listeners).toBe(0);
  });

  test('still gets notifications after the store failed, but not of removed tasks', async () => {
    const session = createTaskSession();
    const { jobs, channel, log } = session;
    jobs.put('job_1');
    jobs.put('job_2');
    listen(session, 's', ['job_1', 'job_2']);
    await channel.next(1);
    jobs.failsWith = new CallError('network', 'The store is away.');
    jobs.change('job_1', { status: 'queued' });
    await quiet();
    jobs.failsWith = new CallError('not_found', 'Gone.');
    jobs.change('job_2', { status: 'cancelled' });
    await quiet();
    jobs.failsWith = undefined;
    jobs.change('job_2', { status: 'cancelled' });
    jobs.change('job_1', { status: 'cancelled' });
    expect(await heard(session, 1)).toEqual([['job_1', 'cancelled']]);
    expect(log.lines).toMatchObject([{ event: 'mcp_task_notification_failed' }]);
  });

  test('needs the extension, and ids that are texts, and not too many', async () => {
    const session = createTaskSession();
    const { channel, jobs } = session;
    listen(session, 1, ['job_1'], MODERN_META);
    for (const wrong of ['job_1', [7], {}, 7]) listen(session, 2, wrong);
    const many = (count: number) => Array.from({ length: count }, (_, n) => `job_${n}`);
    listen(session, 3, many(257));
    const refused = [1, 2, 2, 2, 2, 3].map((id) => rpcError(id, id === 1 ? -32021 : -32602));
    expect(channel.take()).toEqual(refused);
    expect([jobs.reads, jobs.listeners]).toEqual([0, 0]);
    for (const id of many(200)) jobs.put(id as Id<'job'>);
    listen(session, 4, many(200));
    listen(session, 5, many(100));
    expect(await channel.next(2)).toMatchObject([
      rpcError(5, -32602) as object,
      { method: 'notifications/subscriptions/acknowledged' },
    ]);
  });

  test('may follow so many over all its sessions, as if they were one, and others none the less', async () => {
    const first = createTaskSession();
    const { jobs } = first;
    const watching = { chars: 0 };
    const open = (principal = 'local') =>
      createTaskSession({ jobs, deps: { watching }, about: { caller: { ...CALLER, principal } } });
    const ids = Array.from({ length: 250 }, (_, n) => `job_${n}` as const);
    for (const id of ids) jobs.put(id);
    const sessions = Array.from({ length: 50 }, () => open());
    for (const session of sessions) listen(session, 's', ids);
    const [one, ...others] = sessions as [TaskSession, ...TaskSession[]];
    expect(await heard(one, 1)).toEqual([ids]);
    for (const { channel } of others) {
      expect(channel.take()).toMatchObject([
        {
          id: 's',
          error: { code: -32602, message: expect.stringContaining('256') as string },
        },
      ]);
    }
    expect(jobs.reads).toBe(250);
    const stranger = open('somebody');
    listen(stranger, 's', ids);
    expect(await heard(stranger, 1)).toEqual([[]]);
    one.session.onClose();
    const next = open();
    listen(next, 's', ids);
    expect(await heard(next, 1)).toEqual([ids]);
    next.say(notification('notifications/cancelled', { requestId: 's' }));
    listen(next, 't', ids);
    expect(await heard(next, 1)).toEqual([ids]);
    expect(watching).toMatchObject({ chars: 0 });
  });

  test('has room again for as many as are over, or gone, or were never there', async () => {
    const session = createTaskSession();
    const { jobs } = session;
    const ids = Array.from({ length: 256 }, (_, n) => `job_${n}` as const);
    listen(session, 1, ids);
    expect(await heard(session, 1)).toEqual([[]]);
    for (const id of ids) jobs.put(id, { status: 'cancelled' });
    listen(session, 2, ids);
    await session.channel.next(257);
    await quiet();
    for (const id of ids) jobs.put(id);
    listen(session, 3, ids);
    expect(await heard(session, 1)).toEqual([ids]);
    listen(session, 4, ['job_1']);
    expect(session.channel.take()).toEqual([rpcError(4, -32602)]);
  });

  test('shares the read of a changed task with other subscriptions', async () => {
    const one = createTaskSession();
    const { jobs } = one;
    const watching = { chars: 0 };
    const sessions = Array.from({ length: 20 }, () =>
      createTaskSession({ jobs, deps: { watching } }),
    );
    jobs.put('job_1');
    for (const session of sessions) {
      listen(session, 's', ['job_1']);
      listen(session, 't', ['job_1']);
    }
    for (const session of sessions) await session.channel.next(2);
    const { reads } = jobs;
    jobs.change('job_1', { status: 'input_required', pendingInput: ASKS });
    for (const session of sessions) await heard(session, 2);
    expect(jobs.reads - reads).toBe(1);
    const release = jobs.hold();
    jobs.change('job_1', { status: 'running', pendingInput: undefined });
    jobs.change('job_1', { status: 'cancelled' });
    release();
    for (const session of sessions)
      expect(await heard(session, 2)).toContainEqual(['job_1', 'cancelled']);
    for (const { session } of sessions) session.onClose();
    expect(jobs.listeners).toBe(0);
  });

  test('looks anew where a look that began before a change is still under way', async () => {
    const watching = { chars: 0 };
    const early = createTaskSession({ deps: { watching } });
    const { jobs } = early;
    jobs.put('job_1');
    const release = jobs.hold();
    listen(early, 's', ['job_1']);
    early.session.onClose();
    jobs.change('job_1', { status: 'cancelled' });
    const late = createTaskSession({ jobs, deps: { watching } });
    listen(late, 's', ['job_1']);
    expect(jobs.reads).toBe(2);
    release();
    expect(await heard(late, 2)).toEqual([['job_1'], ['job_1', 'cancelled']]);
  });

  test('gets nothing of tasks whose tool it may not use, nor anything once its token has expired', async () => {
    const session = createTaskSession();
    const { jobs, channel, calls } = session;
    calls.denied.add('secret');
    jobs.put('job_1', { tool: 'secret', status: 'input_required', pendingInput: ASKS });
    jobs.put('job_2');
    jobs.put('job_3');
    listen(session, 's', ['job_1', 'job_2', 'job_3']);
    expect(await heard(session, 1)).toEqual([['job_2', 'job_3']]);
    jobs.change('job_1', { status: 'cancelled' });
    await quiet();
    expect(channel.take()).toEqual([]);
    calls.denied.add('wait');
    jobs.change('job_2', { status: 'cancelled' });
    await quiet();
    calls.denied.clear();
    calls.isGood = false;
    jobs.change('job_3', { status: 'cancelled' });
    await quiet();
    expect(channel.take()).toEqual([]);
    listen(session, 't', ['job_1', 'job_2', 'job_3']);
    expect(await channel.next(1)).toEqual([rpcError('t', -31050)]);
  });

  test('of none is acknowledged with none, and where there are no jobs without a word of them', async () => {
    const session = createTaskSession();
    listen(session, 's', []);
    expect(await heard(session, 1)).toEqual([[]]);
    const none = createTaskSession({ deps: { jobs: undefined as never } });
    listen(none, 's', ['job_1']);
    expect(await heard(none, 1)).toEqual([undefined]);
  });

  test('gets the answer to its subscription when the daemon stops', async () => {
    const session = createTaskSession();
    const { jobs, channel } = session;
    jobs.put('job_1');
    listen(session, 's', ['job_1']);
    await channel.next(1);
    await session.session.drain();
    expect(channel.take()).toMatchObject([{ id: 's', result: { resultType: 'complete' } }]);
    jobs.change('job_1', { status: 'cancelled' });
    await quiet();
    expect([channel.take(), jobs.listeners]).toEqual([[], 0]);
  });
});

function withoutType(result: object): object {
  const { resultType: _type, ...rest } = result as { resultType: string };
  return rest;
}
