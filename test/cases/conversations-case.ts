import { expect, test } from 'vitest';
import type { Conversation } from '#core/stores/conversations.ts';
import { verifies } from '../verifies.ts';
import { say, type StoreUnderTest } from './store-under-test.ts';

const LONG_WORD = 'a1'.repeat(50);

/** Conversations: their turns, their owner, their words. */
export function conversationsCases(at: StoreUnderTest): void {
  verifies(
    'store:families',
    'a conversation gives back the turns put into it, in order',
    async () => {
      const id = await at.newConversation();
      const first = await at.store.conversations.append(id, 'ann', [
        say('one'),
        {
          role: 'assistant',
          tool: 'chat',
          content: 'two \0 ünï 漢字 🙂',
          reasoning: 'One, then \0 two.',
          provider: 'kimi',
          model: 'kimi-k3',
          files: ['/a', '/b'],
          usage: { input: 3 },
        },
      ]);
      const second = await at.store.conversations.append(id, 'ann', [say('three')]);
      expect([first, second]).toEqual([1, 3]);
      expect(await at.store.conversations.turns(id, 'ann', 50)).toEqual([
        turn(id, 1, 'one'),
        {
          ...turn(id, 2, 'two \u2400 ünï 漢字 🙂'),
          reasoning: 'One, then \u2400 two.',
          role: 'assistant',
          provider: 'kimi',
          model: 'kimi-k3',
          files: ['/a', '/b'],
          usage: { input: 3 },
        },
        turn(id, 3, 'three'),
      ]);
      expect((await at.store.conversations.turns(id, 'ann', 1, 3)).map(({ seq }) => seq)).toEqual([
        2,
      ]);
      expect(await at.store.conversations.get(id, 'ann')).toMatchObject({
        turns: 3,
        title: 'A title',
      });
    },
  );

  const turn = (conversationId: string, seq: number, content: string) => ({
    conversationId,
    seq,
    role: 'user',
    tool: 'chat',
    provider: null,
    model: null,
    content,
    reasoning: '',
    files: [],
    usage: null,
    createdAt: at.clock.now(),
  });

  test('a conversation belongs to its principal alone', async () => {
    const id = await at.newConversation('ann');
    await at.store.conversations.append(id, 'ann', [say('a secret plan')]);
    expect(await at.store.conversations.get(id, 'bob')).toBeUndefined();
    expect(await at.store.conversations.turns(id, 'bob', 10)).toEqual([]);
    expect(await at.store.conversations.search('bob', 'secret', 10)).toEqual([]);
    await expect(at.store.conversations.append(id, 'bob', [say('hello')])).rejects.toMatchObject({
      class: 'not_found',
    });
    await expect(at.store.conversations.delete(id, 'bob')).rejects.toMatchObject({
      class: 'not_found',
    });
    expect(await at.store.conversations.turns(id, 'ann', 10)).toHaveLength(1);
  });

  test('turns appended at once to one conversation are numbered without gaps', async () => {
    const id = await at.newConversation();
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        at.store.conversations.append(id, 'ann', [say(`turn ${n}`)]),
      ),
    );
    const seqs = (await at.store.conversations.turns(id, 'ann', 100)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  test('a conversation keeps its model and state until they are changed', async () => {
    const id = await at.newConversation();
    await at.store.conversations.update(id, 'ann', {
      model: 'glm-5.3',
      state: { step: 2, list: [1] },
    });
    await at.store.conversations.update(id, 'ann', { title: 'Renamed' });
    expect(await at.store.conversations.get(id, 'ann')).toMatchObject({
      title: 'Renamed',
      model: 'glm-5.3',
      state: { step: 2, list: [1] },
    });
    await at.store.conversations.update(id, 'ann', { model: null });
    expect(await at.store.conversations.get(id, 'ann')).toMatchObject({ model: null });
  });

  verifies(
    'store:search',
    'search finds words and phrases in any script, newest first',
    async () => {
      const id = await at.newConversation('searcher', 'Thread');
      await at.store.conversations.append(id, 'searcher', [
        say('The Zürich café opened at noon'),
        say('我们今天讨论大型语言模型的路由问题。'),
        say('route the request with GPT模型 today'),
        say('"quoted" AND OR NOT * ( ) : ^ - weird'),
        say(`An id such as ${LONG_WORD} and snake_case, too.`),
      ]);
      const found = async (text: string) =>
        (await at.store.conversations.search('searcher', text, 10)).map(({ seq }) => seq);
      expect(await found('zurich CAFÉ')).toEqual([1]);
      expect(await found('语言模型')).toEqual([2]);
      expect(await found('模型')).toEqual([3, 2]);
      expect(await found('型模')).toEqual([]);
      expect(await found('today route')).toEqual([3]);
      expect(await found('quoted weird')).toEqual([4]);
      expect(await found('NOT "')).toEqual([4]);
      expect(await found('!!! ---')).toEqual([]);
      expect(await found('absent')).toEqual([]);
      expect(await found(LONG_WORD)).toEqual([5]);
      expect(await found('snake_case')).toEqual([5]);
      expect(await found('CASE')).toEqual([5]);
      const [hit] = await at.store.conversations.search('searcher', 'noon', 1);
      expect(hit).toMatchObject({
        conversationId: id,
        title: 'Thread',
        snippet: expect.stringContaining('noon'),
      });
    },
  );

  test('search reaches the last words of a very long turn', async () => {
    const id = await at.newConversation('long');
    const words = Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' ');
    await at.store.conversations.append(id, 'long', [say(`beginning ${words} finale`)]);
    expect(
      await at.store.conversations.search('long', 'beginning finale w1999 w2000', 5),
    ).toHaveLength(1);
  });

  test('a query of any length is answered', async () => {
    const id = await at.newConversation('verbose');
    await at.store.conversations.append(id, 'verbose', [say('word '.repeat(50))]);
    const query = 'word '.repeat(200_000);
    expect(await at.store.conversations.search('verbose', query, 5)).toHaveLength(1);
  });

  test('a deleted conversation takes its turns and their words along', async () => {
    const id = await at.newConversation('gone');
    await at.store.conversations.append(id, 'gone', [say('ephemeral words')]);
    await at.store.conversations.delete(id, 'gone');
    expect(await at.store.conversations.turns(id, 'gone', 5)).toEqual([]);
    expect(await at.store.conversations.search('gone', 'ephemeral', 5)).toEqual([]);
  });

  test('conversations are listed newest first, page by page', async () => {
    for (const title of ['first', 'second', 'third']) {
      at.clock.advance(1000);
      await at.newConversation('lister', title);
    }
    const page = await at.store.conversations.list('lister', 2);
    expect(page.map(({ title }) => title)).toEqual(['third', 'second']);
    const rest = await at.store.conversations.list('lister', 2, page[1]?.updatedAt);
    expect(rest.map(({ title }) => title)).toEqual(['first']);
  });

  test('two that changed in the same millisecond are both listed, on whatever page', async () => {
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.push(await at.newConversation('twins', title));
    const seen: string[] = [];
    for (let last: Conversation | undefined; ;) {
      [last] = await at.store.conversations.list('twins', 1, last);
      if (!last) break;
      seen.push(last.id);
    }
    expect(seen).toEqual(ids.toReversed());
  });
}
