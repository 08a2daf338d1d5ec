import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Thread, Threads } from '#core/threads.ts';
import { openThreads, type OpenedThreads } from '../../test/open-threads.ts';
import { verifies } from '../../test/verifies.ts';

const DAY_MS = 86_400_000;

const asked = (content: string, more: Partial<NewTurn> = {}): NewTurn => ({
  role: 'user',
  tool: 'chat',
  content,
  ...more,
});
const answered = (content: string): NewTurn => ({
  role: 'assistant',
  tool: 'chat',
  content,
  provider: 'kimi',
  model: 'kimi-k3',
});
const exchange = (words: string) => [asked(`${words}?`), answered(`${words}!`)];

let at: OpenedThreads;
let threads: Threads;
beforeAll(async () => {
  at = await openThreads({ maxTurns: 8, keptDays: 30 });
  ({ threads } = at);
});
afterAll(() => at.close());

const begin = (about = 'A question', principal = 'ann') =>
  threads.open({ principal, id: undefined, about });
const open = (id: string, principal = 'ann') => threads.open({ principal, id, about: 'later' });
const fault = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: { toJSON(): object }) => error.toJSON(),
  );

describe('a conversation', () => {
  test('is stored with its first turns, and not before', async () => {
    const thread = await begin('Why is the sky blue?', 'shy');
    expect(thread).toMatchObject({ is: 'new', model: undefined, history: [], files: [] });
    expect(thread.stateOf('chat')).toBe(null);
    expect(await threads.list('shy', 5)).toEqual([]);
    expect(await fault(open(thread.id, 'shy'))).toMatchObject({ class: 'not_found' });

    expect(await thread.append(exchange('blue'), { model: 'kimi-k3' })).toEqual({
      id: thread.id,
      remainingTurns: 3,
      note: 'To continue, pass this id as continuation_id to this or another tool; 3 more calls fit.',
    });
    expect(await threads.list('shy', 5)).toMatchObject([
      { id: thread.id, title: 'Why is the sky blue?', turns: 2, model: 'kimi-k3' },
    ]);
  });

  verifies(
    'threads:durable',
    'goes on after a restart with what was said, its model, files and state',
    async () => {
      const thread = await begin();
      await thread.append(
        [asked('one', { tool: 'debug', files: ['/a.ts', '/b\n.ts'] }), answered('two')],
        { model: 'glm-5.3', state: { tool: 'debug', value: { step: 1 } } },
      );
      await thread.append([asked('three', { files: ['/c.ts', '/a.ts'] }), answered('')]);
      await at.reopen();
      const again = await open(thread.id);
      expect(again).toMatchObject({ id: thread.id, is: 'known', model: 'glm-5.3' });
      expect(again.history).toEqual([
        {
          role: 'user',
          content: 'one\n\n[Files with this message: /a.ts, /b .ts]',
        },
        { role: 'assistant', content: 'two' },
        {
          role: 'user',
          content: 'three\n\n[Files with this message: /c.ts, /a.ts]',
        },
      ]);
      expect(again.files).toEqual(['/c.ts', '/a.ts', '/b\n.ts']);
      expect(again.stateOf('debug')).toEqual({ step: 1 });
      expect(again.stateOf('planner')).toBe(null);
      expect(again.stateOf('__proto__')).toBe(null);
      expect(again.continuation().remainingTurns).toBe(2);
    },
  );

  verifies(
    'threads:at-once',
    'takes two calls at once, each whole, and the state of both tools',
    async () => {
      const { id } = await kept();
      const [one, two] = await Promise.all([open(id), open(id)]);
      await Promise.all([
        one.append(exchange('one'), { state: { tool: 'debug', value: 1 } }),
        two.append(exchange('two'), { state: { tool: 'planner', value: 2 } }),
      ]);
      const after = await open(id);
      const said = after.history.slice(2).map(({ content }) => content);
      expect(said.map(String).toSorted()).toEqual(['one!', 'one?', 'two!', 'two?']);
      expect([said[0]?.slice(0, 3), said[2]?.slice(0, 3)]).toEqual([
        said[1]?.slice(0, 3),
        said[3]?.slice(0, 3),
      ]);
      expect([after.stateOf('debug'), after.stateOf('planner')]).toEqual([1, 2]);
    },
  );

  verifies(
    'threads:at-once',
    'refuses the second of two calls that both want it unchanged, and stores nothing of it',
    async () => {
      const { id } = await kept();
      const [one, two] = await Promise.all([open(id), open(id)]);
      await one.append(
        [asked('step 1')],
        { state: { tool: 'debug', value: 1 } },
        { ifUnchanged: true },
      );
      const state = { tool: 'debug', value: 'lost' };
      expect(
        await fault(two.append([asked('step 1')], { state, model: 'x' }, { ifUnchanged: true })),
      ).toEqual({
        class: 'conflict',
        message: `Conversation ${id} was updated by another call.`,
        field: 'continuation_id',
        fix: 'Try again. The answer will take what was added into account.',
        fixes: [
          { kind: 'retry', params: {} },
          {
            kind: 'advice',
            params: { text: 'The answer will take what was added into account.' },
          },
        ],
      });
      expect(two.stateOf('debug')).toBe(null);
      await one.append([answered('done')], {}, { ifUnchanged: true });
      const after = await open(id);
      expect([after.history.length, after.stateOf('debug'), after.model]).toEqual([
        4,
        1,
        undefined,
      ]);
    },
  );

  test('is created once when its first turns are appended in two concurrent writes', async () => {
    const thread = await begin('both');
    await Promise.all([thread.append([asked('one')]), thread.append([answered('two')])]);
    expect((await open(thread.id)).history.map(({ content }) => content)).toEqual(['one', 'two']);
  });

  test('reports when it is full, and then accepts no further call', async () => {
    const thread = await begin('full');
    for (const words of ['one', 'two', 'three']) await thread.append(exchange(words));
    expect(thread.continuation().note).toContain('one more call fits.');
    expect(await thread.append([...exchange('four'), asked('over')])).toMatchObject({
      remainingTurns: 0,
      note: 'This conversation is full; leave out continuation_id to start a new one.',
    });
    expect(await fault(open(thread.id))).toEqual({
      class: 'too_large',
      message: `Conversation ${thread.id} is full: it has 9 of at most 8 turns.`,
      field: 'continuation_id',
      fix: `Leave out continuation_id to begin a new conversation, or continue from an earlier turn with threads {"action": "fork", "id": "${thread.id}", "turn": 4}.`,
      fixes: [
        { kind: 'new_conversation', params: {} },
        { kind: 'fork_conversation', params: { id: thread.id, turn: 4 } },
      ],
    });
  });

  test('holds turns of megabytes, and reads no more of them than a model could', async () => {
    const wide = await openThreads({ maxTurns: 400 });
    const thread = await wide.threads.open({ principal: 'ann', id: undefined, about: 'x' });
    const large = 'x'.repeat(2_000_000);
    await thread.append([asked('first'), ...Array.from({ length: 130 }, (_, n) => asked(`${n}`))]);
    const opened = () => wide.threads.open({ principal: 'ann', id: thread.id, about: '' });
    expect((await opened()).history).toHaveLength(131);
    await thread.append(Array.from({ length: 9 }, () => asked(large)));
    const { history } = await opened();
    expect(history.at(-1)?.content === large).toBe(true);
    expect(history).toHaveLength(4);
    expect((await wide.threads.show('ann', thread.id, 100)).turns).toHaveLength(4);
    expect((await wide.threads.show('ann', thread.id, 3)).turns).toHaveLength(3);
    expect((await wide.threads.show('ann', thread.id, 50, 60)).turns).toHaveLength(50);
    await wide.close();
  });
});

describe('a conversation that does not exist', () => {
  test.each([
    '',
    'x',
    'conv_',
    'req_0000000000000000000000',
    `conv_${'0'.repeat(100_000)}`,
    '__proto__',
  ])('%.20j is no id', async (id) => {
    const error = await fault(open(id));
    expect(error).toMatchObject({ class: 'validation', field: 'continuation_id' });
    expect(JSON.stringify(error).length).toBeLessThan(800);
    expect(await fault(threads.show('ann', id, 1))).toMatchObject({ field: 'id' });
  });

  test("gives the same error, whether it was deleted or is another's", async () => {
    const { id: deleted } = await kept();
    const { id: foreign } = await kept('hers', 'ann');
    await threads.delete('ann', deleted);
    const day = new Date(at.clock.now()).toISOString().slice(0, 10);
    const told = (id: string) => ({
      class: 'not_found',
      message: `There is no conversation ${id} of yours. By its id it was begun on ${day}; it was deleted, or is another client's.`,
      reason: { code: 'unknown_conversation', params: { id, begun: day } },
      field: 'continuation_id',
      fix: 'List your conversations with threads {"action": "list"}, or leave out continuation_id to begin a new conversation.',
      fixes: [
        { kind: 'list_conversations', params: {} },
        { kind: 'new_conversation', params: {} },
      ],
    });
    expect(await fault(open(deleted))).toEqual(told(deleted));
    expect(await fault(open(foreign, 'bob'))).toEqual(told(foreign));
    for (const act of [
      (id: string) => threads.show('bob', id, 1),
      (id: string) => threads.fork('bob', id),
      (id: string) => threads.rename('bob', id, 'mine'),
      (id: string) => threads.delete('bob', id),
    ]) {
      const { message } = told(foreign);
      expect(await fault(act(foreign))).toMatchObject({ class: 'not_found', message, field: 'id' });
    }
    expect(await threads.search('bob', 'hers', 5)).toEqual([]);
  });

  verifies('threads:unknown', 'may have expired when it is old enough', async () => {
    const { id } = await kept();
    at.clock.advance(31 * DAY_MS);
    await at.store.prune({
      auditDays: 0,
      turnsDays: 30,
      attemptsDays: 0,
      usageDays: 0,
      jobsDays: 0,
      responsesDays: 0,
      filesDays: 0,
    });
    expect(await fault(open(id))).toMatchObject({
      message: expect.stringContaining(
        'it was deleted, has expired (30 days after its last turn), or is another client',
      ),
    });
  });

  test('with a time in the future is reported as such', async () => {
    expect(await fault(open(`conv_${'z'.repeat(22)}`))).toMatchObject({
      class: 'not_found',
      message: expect.stringContaining('a time that has not come yet'),
    });
  });

  test('because it was deleted during a call does not get its turns stored', async () => {
    const thread = await kept();
    await threads.delete('ann', thread.id);
    expect(await fault(thread.append(exchange('late')))).toMatchObject({
      class: 'not_found',
      message: expect.stringContaining('it was deleted'),
    });
  });
});

describe('a fork', () => {
  test('continues independently from the given turn', async () => {
    const thread = await kept();
    await thread.append(exchange('second'), { state: { tool: 'debug', value: 1 } });
    const fork = await threads.fork('ann', thread.id, 2);
    expect(fork).toMatchObject({ parentId: thread.id, turns: 2, state: null });
    const { conversation } = await threads.show('ann', thread.id, 1);
    expect(fork.title).toBe(`${conversation.title} (fork)`);
    expect((await threads.show('ann', fork.id, 1)).conversation).toEqual(fork);
    await (await open(fork.id)).append(exchange('other'));
    expect((await open(thread.id)).history.map(({ content }) => content)).toEqual([
      'kept?',
      'kept!',
      'second?',
      'second!',
    ]);
    const whole = await threads.fork('ann', thread.id);
    expect((await open(whole.id)).stateOf('debug')).toBe(1);
  });

  test.each([0, 3, -1])('cannot begin at turn %j of two', async (turn) => {
    const { id } = await kept();
    expect(await fault(threads.fork('ann', id, turn))).toMatchObject({
      class: 'validation',
      field: 'turn',
    });
  });
});

test('a conversation is listed, shown by pages, found and renamed by its owner', async () => {
  const thread = await kept('findable');
  await thread.append(exchange('second'));
  const page = await threads.show('ann', thread.id, 2);
  expect(page.turns.map(({ seq }) => seq)).toEqual([3, 4]);
  expect((await threads.show('ann', thread.id, 2, 3)).turns.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await threads.search('ann', 'findable', 5)).toHaveLength(2);
  await threads.rename('ann', thread.id, ' A better\nname ');
  expect((await threads.show('ann', thread.id, 0)).conversation.title).toBe('A better');
  expect(await fault(threads.rename('ann', thread.id, ' \n\t '))).toMatchObject({
    class: 'validation',
    field: 'title',
  });
});

async function kept(words = 'kept', principal = 'ann'): Promise<Thread> {
  const thread = await begin(words, principal);
  await thread.append(exchange(words));
  return thread;
}
