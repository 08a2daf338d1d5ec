import { expect, test } from 'vitest';
import { say, type StoreUnderTest } from './store-under-test.ts';

/** What one write can do to a conversation, and forks, which are one. */
export function conversationWritesCases(at: StoreUnderTest): void {
  test('one write begins a conversation, adds its turns and sets what it keeps', async () => {
    const id = 'conv_begun';
    const parentId = await at.newConversation('beginner');
    const first = await at.store.conversations.append(id, 'beginner', [say('one'), say('two')], {
      begin: { title: 'Begun', parentId },
      model: 'glm-5.3',
      statePart: { name: 'debug', value: { step: 1 } },
      ifTurns: 0,
    });
    expect(first).toBe(1);
    expect(await at.store.conversations.get(id, 'beginner')).toEqual({
      id,
      listOrder: expect.any(Number),
      principal: 'beginner',
      title: 'Begun',
      model: 'glm-5.3',
      state: { debug: { step: 1 } },
      parentId,
      turns: 2,
      createdAt: at.clock.now(),
      updatedAt: at.clock.now(),
    });
    expect(await at.store.conversations.search('beginner', 'two', 5)).toMatchObject([{ seq: 2 }]);
    const again = at.store.conversations.append(id, 'beginner', [say('x')], {
      begin: { title: 'Twice' },
    });
    await expect(again).rejects.toMatchObject({ class: 'conflict' });
    expect(await at.store.conversations.get(id, 'beginner')).toMatchObject({
      title: 'Begun',
      turns: 2,
    });
  });

  test('turns are added only to the number of turns that was expected, where one was', async () => {
    const id = await at.newConversation('careful');
    const add = (words: string, ifTurns: number) =>
      at.store.conversations.append(id, 'careful', [say(words), say('answer')], {
        ifTurns,
        title: words,
        model: words,
        state: words,
      });
    expect(await add('first', 0)).toBe(1);
    await expect(add('second', 0)).rejects.toMatchObject({
      class: 'conflict',
      field: 'continuation_id',
    });
    await expect(add('third', 4)).rejects.toMatchObject({ class: 'conflict' });
    expect(await at.store.conversations.get(id, 'careful')).toMatchObject({
      turns: 2,
      title: 'first',
      model: 'first',
      state: 'first',
    });
    expect(await at.store.conversations.search('careful', 'second', 5)).toEqual([]);
    const both = await Promise.allSettled([add('left', 2), add('right', 2)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await at.store.conversations.turns(id, 'careful', 10)).toHaveLength(4);
    await expect(
      at.store.conversations.append(id, 'bob', [say('x')], { ifTurns: 4 }),
    ).rejects.toMatchObject({ class: 'not_found' });
  });

  test('a write without turns sets state alone and gives the number of the next turn', async () => {
    const id = await at.newConversation('quiet');
    at.clock.advance(5);
    const state = { '\0': ['\0', '\ud800', '\\u0000', '🙂', 1e21, null] };
    expect(await at.store.conversations.append(id, 'quiet', [], { state })).toBe(1);
    expect(await at.store.conversations.get(id, 'quiet')).toMatchObject({
      state: { '\u2400': ['\u2400', '\ufffd', '\\u0000', '🙂', 1e21, null] },
      turns: 0,
      updatedAt: at.clock.now(),
    });
  });

  test('parts of the state are written side by side, whatever they hold', async () => {
    const id = await at.newConversation('parts');
    const value = (n: number) => ({
      text: `\0 "quoted" \\ '${n}' 漢`,
      list: [n, null, 1.5],
      none: null,
    });
    const names = Array.from({ length: 20 }, (_, n) => `tool_${n}`);
    await Promise.all(
      names.map((name, n) =>
        at.store.conversations.append(id, 'parts', [say(name)], {
          statePart: { name, value: value(n) },
        }),
      ),
    );
    await at.store.conversations.update(id, 'parts', {
      statePart: { name: 'tool_0', value: 'replaced' },
    });
    await at.store.conversations.update(id, 'parts', {
      statePart: { name: 'tool_1', value: null },
    });
    const stored = await at.store.conversations.get(id, 'parts');
    const kept = (n: number) => ({ ...value(n), text: value(n).text.replace('\0', '\u2400') });
    expect(stored?.state).toEqual({
      ...Object.fromEntries(names.map((name, n) => [name, kept(n)])),
      tool_0: 'replaced',
      tool_1: null,
    });
    for (const name of ['', 'a"b', "a' or 1=1", 'x'.repeat(129)]) {
      const refused = at.store.conversations.update(id, 'parts', { statePart: { name, value: 1 } });
      await expect(refused).rejects.toMatchObject({ class: 'validation' });
    }
  });

  test('a turn of two megabytes is kept to the letter, and found', async () => {
    const id = await at.newConversation('heavy');
    const content = `${'Größe und 漢字 🙂 '.repeat(100_000)}finis`;
    await at.store.conversations.append(id, 'heavy', [say(content), say('short')], {
      statePart: { name: 'debug', value: content },
    });
    const [heavy] = await at.store.conversations.turns(id, 'heavy', 5);
    expect(heavy?.content === content).toBe(true);
    expect((await at.store.conversations.get(id, 'heavy'))?.state).toEqual({ debug: content });
    expect(await at.store.conversations.search('heavy', 'finis', 5)).toMatchObject([{ seq: 1 }]);
  });

  test('a fork copies turns with their words and goes its own way', async () => {
    const id = await at.newConversation('forker', 'Origin');
    await at.store.conversations.append(
      id,
      'forker',
      [
        { ...say('plain words'), files: ['/a'], usage: { input: 1 } },
        { ...say('Zürich 模型'), role: 'assistant', provider: 'kimi', model: 'kimi-k3' },
        say('last words'),
      ],
      { model: 'glm-5.3', state: { debug: 1 } },
    );
    at.clock.advance(1000);
    const whole = await at.store.conversations.fork({
      id: 'conv_whole',
      from: id,
      principal: 'forker',
    });
    expect(whole).toEqual({
      ...(await at.store.conversations.get(id, 'forker')),
      id: 'conv_whole',
      parentId: id,
      createdAt: at.clock.now(),
      updatedAt: at.clock.now(),
      listOrder: expect.any(Number),
    });
    expect(await at.store.conversations.get('conv_whole', 'forker')).toEqual(whole);
    const original = await at.store.conversations.turns(id, 'forker', 10);
    expect(await at.store.conversations.turns('conv_whole', 'forker', 10)).toEqual(
      original.map((each) => ({ ...each, conversationId: 'conv_whole' })),
    );

    const part = await at.store.conversations.fork({
      id: 'conv_part',
      from: id,
      principal: 'forker',
      upToSeq: 2,
    });
    expect(part).toMatchObject({ turns: 2, model: 'kimi-k3', state: null });
    const found = async (text: string) =>
      (await at.store.conversations.search('forker', text, 10))
        .map(({ conversationId, seq }) => `${conversationId} ${seq}`)
        .toSorted();
    expect(await found('plain')).toEqual([`${id} 1`, 'conv_part 1', 'conv_whole 1'].toSorted());
    expect(await found('zurich 模型')).toEqual(
      [`${id} 2`, 'conv_part 2', 'conv_whole 2'].toSorted(),
    );
    expect(await found('last')).toEqual([`${id} 3`, 'conv_whole 3'].toSorted());

    await at.store.conversations.delete(id, 'forker');
    expect(await found('plain')).toEqual(['conv_part 1', 'conv_whole 1']);
    expect(await at.store.conversations.append('conv_part', 'forker', [say('anew')])).toBe(3);
  });

  test("another's conversation cannot be forked, and a failing fork leaves nothing", async () => {
    const id = await at.newConversation('ann');
    await at.store.conversations.append(id, 'ann', [say('hers')]);
    const fork = (principal: string, to: 'conv_thief') =>
      at.store.conversations.fork({ id: to, from: id, principal });
    await expect(fork('thief', 'conv_thief')).rejects.toMatchObject({ class: 'not_found' });
    expect(await at.store.conversations.list('thief', 5)).toEqual([]);
    const taken = at.store.conversations.fork({ id, from: id, principal: 'ann' });
    await expect(taken).rejects.toMatchObject({ class: 'conflict' });
  });
}
