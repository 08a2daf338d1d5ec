import { describe, expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { describeFit, fit, type Summarise } from './fit.ts';
import { measure } from './measure.ts';
import type { Room } from './prompt-room.ts';
import { verifies } from '../../../test/verifies.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string): ChatMessage => ({ role: 'assistant', content });
const room = (roomTokens: number, correction = 1): Room => ({
  roomTokens,
  correction,
  contextTokens: 262_144,
  model: 'kimi-k2.6',
});
const words = (tokens: number) => 'to '.repeat(tokens).trim();
const HALF_MISSING = notice('summary_incomplete', { name: 'long.md', quoted: 1, parts: 2 });
const shorter: Summarise = (_, { name }) => Promise.resolve(`What ${name} says, in short.`);

const fitted = (request: AskRequest, roomTokens: number, summarise?: Summarise) =>
  fit(measure(request), room(roomTokens), () => summarise);

describe('a request that fits', () => {
  test('is sent as it is, the system first', async () => {
    const messages = [user('Hello'), says('Hi.'), user('Why?')];
    expect(await fitted({ messages }, 10_000)).toEqual({
      messages,
      tokens: estimateChat(messages),
      notices: [],
    });
    expect((await fitted({ system: 'Be brief.', messages }, 10_000)).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...messages,
    ]);
  });

  test('has its files between the system and the conversation, and the system says what they are', async () => {
    const rules: ChatMessage = { role: 'system', content: 'Rules.' };
    const files = [
      { name: 'b.md', text: 'Beta' },
      { name: 'a.md', text: 'Alpha' },
    ];
    const messages = [rules, user('Hello'), says('Hi.'), user('Why?')];
    const { messages: sent } = await fitted({ system: 'Be brief.', messages, files }, 10_000);
    expect(sent.map(({ role }) => role)).toEqual([
      'system',
      'system',
      'user',
      'user',
      'assistant',
      'user',
    ]);
    expect(sent[0]?.content).toMatch(/^Be brief\.\n\nThe next message of the user holds files\./);
    expect(sent[2]?.content).toMatch(/name="a\.md"[^]*Alpha[^]*name="b\.md"[^]*Beta/);
    const alone = await fitted({ messages: [user('Why?')], files }, 10_000);
    expect(alone.messages[0]?.content).toMatch(/^The next message/);
  });

  test('has a key for its beginning where that is long, the same as long as the beginning is', async () => {
    const files = [{ name: 'a.md', text: words(6_000) }];
    const one = await fitted({ messages: [user('Why?')], files }, 100_000);
    const two = await fitted({ messages: [user('A'), says('B'), user('C')], files }, 100_000);
    const other = await fitted({ system: 'X', messages: [user('Why?')], files }, 100_000);
    expect(one.cacheKey).toMatch(/^exai-[0-9a-f]{32}$/);
    expect(two.cacheKey).toBe(one.cacheKey);
    expect(two.messages.slice(0, 2)).toEqual(one.messages.slice(0, 2));
    expect(other.cacheKey).not.toBe(one.cacheKey);
    expect((await fitted({ messages: [user(words(9_000))] }, 100_000)).cacheKey).toBe(undefined);
  });

  test('reports which of two files with one name counts', async () => {
    const files = ['outdated', 'current'].map((text) => ({ name: 'a.md', text }));
    const { notices, messages } = await fitted({ messages: [user('Why?')], files }, 10_000);
    expect(notices).toEqual([notice('duplicate_file_names', { names: ['a.md'], more: 0 })]);
    expect(JSON.stringify(messages)).not.toContain('outdated');
  });
});

describe('a conversation that is too long', () => {
  const long = Array.from({ length: 20 }, (_, each) =>
    each % 2 === 0 ? user(`q${each} ${words(100)}`) : says(`a${each} ${words(100)}`),
  );

  verifies('context:fit', 'loses its oldest messages, with a notice', async () => {
    const messages = [...long, user('And now?')];
    const { messages: sent, notices, tokens } = await fitted({ messages }, 1_000);
    expect(sent).toEqual(messages.slice(-sent.length));
    expect(sent).toHaveLength(9);
    expect(tokens).toBe(estimateChat(sent));
    const overTokens = estimateChat(messages) - 1_000;
    expect(notices).toMatchObject([
      { code: 'messages_left_out', params: { messages: 12, which: 'oldest', overTokens } },
    ]);
    expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
      `The 12 oldest messages of the conversation were left out: ${overTokens.toLocaleString('en')} tokens over the window of kimi-k2.6.`,
    ]);
  });

  test('is fitted to the room in the vendor’s tokens, by the correction', async () => {
    const measured = measure({ messages: [...long, user('And now?')] });
    const plain = await fit(measured, room(1_500));
    const corrected = await fit(measured, room(1_500, 2));
    expect(corrected.messages.length).toBeLessThan(plain.messages.length);
    expect(corrected.tokens * 2).toBeLessThanOrEqual(1_500);
    for (const correction of [0, Number.NaN, -1, Infinity]) {
      expect((await fit(measured, room(1_500, correction))).tokens).toBeLessThanOrEqual(1_500);
    }
  });

  test('never loses the result of a call without the call', async () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: '1', name: 'look', arguments: '{}' }],
    };
    const result: ChatMessage = { role: 'tool', toolCallId: '1', content: words(50) };
    const messages = [...long, user('Look!'), call, result, says('Seen.'), user('And now?')];
    const all = estimateChat(messages.slice(-5));
    expect((await fitted({ messages }, all)).messages).toEqual(messages.slice(-5));
    expect((await fitted({ messages }, all - 10)).messages).toEqual([user('And now?')]);
  });

  test('keeps the question through a long series of tool results', async () => {
    const round = (id: string): ChatMessage[] => [
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'look', arguments: '{}' }] },
      { role: 'tool', toolCallId: id, content: words(300) },
    ];
    const messages = [...long, user('Find the bug.'), ...round('1'), ...round('2'), ...round('3')];
    const { messages: sent, notices } = await fitted({ messages }, 500);
    expect(sent).toEqual([user('Find the bug.'), ...round('3')]);
    expect(notices[0]).toMatchObject({
      code: 'messages_left_out',
      params: { messages: 24, which: 'earlier' },
    });
  });
});

describe('texts that are too long', () => {
  const messages = [user('What do they say?')];

  verifies('context:fit', 'are summarised, the longest first, with notices', async () => {
    const files = [
      { name: 'long.md', text: words(20_000) },
      { name: 'short.md', text: words(500) },
    ];
    const wishes: unknown[] = [];
    const { messages: sent, notices } = await fitted({ messages, files }, 5_000, (text, wish) => {
      wishes.push({ chars: text.length, name: wish.name, maxTokens: wish.maxTokens });
      return shorter(text, wish);
    });
    expect(wishes).toEqual([{ chars: files[0]?.text.length, name: 'long.md', maxTokens: 4_269 }]);
    expect(sent[1]?.content).toMatch(
      /<file name="long\.md" shown="summary" mark="\d+">\nWhat long\.md says, in short\.\n<\/file/,
    );
    expect(sent[1]?.content).toContain(words(500));
    expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
      'long.md (20,001 tokens) was summarised to 9.',
    ]);
  });

  test('lose as little as necessary: the replacement fills the room', async () => {
    const files = [
      { name: 'long.md', text: words(60_000) },
      { name: 'other.md', text: words(40_000) },
    ];
    const wishes: [string, number][] = [];
    await fitted({ messages, files }, 97_000, (text, wish) => {
      wishes.push([wish.name, wish.maxTokens]);
      return shorter(text, wish);
    });
    expect(wishes).toEqual([['long.md', expect.any(Number)]]);
    expect(wishes[0]?.[1]).toBeGreaterThan(56_000);
    expect(wishes[0]?.[1]).toBeLessThan(57_000);
  });

  test('leave a quarter of the room to the history', async () => {
    const talk = Array.from({ length: 6 }, (_, each) =>
      each % 2 === 0 ? user(`q${each} ${words(100)}`) : says(`a${each} ${words(100)}`),
    );
    const files = [{ name: 'long.md', text: words(20_000) }];
    const full: Summarise = (_, { maxTokens }) => Promise.resolve(words(maxTokens - 1));
    const all = [...talk, ...messages];
    const { messages: sent, tokens } = await fitted({ messages: all, files }, 4_000, full);
    expect(sent.slice(2)).toEqual(all);
    expect(tokens).toBeGreaterThan(3_900);
    expect(tokens).toBeLessThanOrEqual(4_000);
  });

  test('leave room for the last exchange', async () => {
    const talk = [user(`before ${words(300)}`), says(words(300)), ...messages];
    const files = [{ name: 'long.md', text: words(20_000) }];
    const { messages: sent } = await fitted({ messages: talk, files }, 4_000, shorter);
    expect(sent.slice(2)).toEqual(talk);
  });

  test('include the question only if it takes over half of the room; then its head and tail stay', async () => {
    const asked = `BEGIN ${words(30_000)} END`;
    const { messages: sent, notices } = await fitted({ messages: [user(asked)] }, 8_000, shorter);
    const text = sent[0]?.content;
    expect(text).toMatch(
      /^BEGIN to [^]*\[The next [\d,]+ tokens are too long and are summarised here:\]\nWhat the message says, in short\.\n\[The summary ends here; the rest is word for word\.\]\n\n[^]* END$/,
    );
    expect(notices).toMatchObject([{ code: 'text_summarised', params: { what: 'question' } }]);
  });

  test('are results of tools, too, and parts of a message with pictures', async () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: '1', name: 'read', arguments: '{}' }],
    };
    const result: ChatMessage = {
      role: 'tool',
      toolCallId: '1',
      name: 'read',
      content: words(9_000),
    };
    const tools = await fitted({ messages: [user('Read it.'), call, result] }, 4_000, shorter);
    expect(tools.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(tools.notices[0]).toMatchObject({
      code: 'text_summarised',
      params: { what: 'result', name: 'read', tense: 'done' },
    });
    const picture = { type: 'image', source: { url: 'https://example.org/a.png' } } as const;
    const seen = await fitted(
      { messages: [{ role: 'user', content: [picture, { type: 'text', text: words(9_000) }] }] },
      6_000,
      shorter,
    );
    expect(seen.messages[0]?.content).toMatchObject([picture, { type: 'text' }]);
    expect(seen.tokens).toBeLessThan(6_000);
  });

  test('are refused when no model can summarise them, with a fix', async () => {
    const files = [{ name: 'long.md', text: words(20_000) }];
    await expect(fitted({ messages, files }, 5_000)).rejects.toMatchObject({
      class: 'context_length',
      message: expect.stringMatching(
        /^The request has about 20,\d+ tokens, and kimi-k2\.6 has room for 5,000 of them\./,
      ),
      fix: expect.stringContaining('listmodels'),
      contextTokens: 262_144,
    });
    await expect(fitted({ messages: [user(words(900))] }, 500, shorter)).rejects.toMatchObject({
      class: 'context_length',
    });
    const failing: Summarise = () => Promise.reject(new CallError('overloaded', 'All are busy.'));
    await expect(fitted({ messages, files }, 5_000, failing)).rejects.toMatchObject({
      class: 'context_length',
      message: expect.stringMatching(/It could not be summarised: All are busy\.$/),
    });
    const late: Summarise = () => Promise.reject(new CallError('timeout', 'The time is up.'));
    await expect(fitted({ messages, files }, 5_000, late)).rejects.toMatchObject({
      class: 'context_length',
      message: expect.stringMatching(/It could not be summarised: The time is up\.$/),
    });
    await expect(
      fitted({ messages, files }, 5_000, () => Promise.resolve(' ')),
    ).rejects.toMatchObject({ class: 'context_length' });
  });

  test('are no matter of length when the caller has left', async () => {
    const files = [{ name: 'long.md', text: words(20_000) }];
    const left: Summarise = () => Promise.reject(new CallError('cancelled', 'Gone.'));
    await expect(fitted({ messages, files }, 5_000, left)).rejects.toMatchObject({
      class: 'cancelled',
    });
  });

  test('are cut when a summary is too long, and its notices are passed on', async () => {
    const files = [{ name: 'long.md', text: words(20_000) }];
    const endless: Summarise = (_, { onNotice }) => {
      onNotice?.(HALF_MISSING);
      return Promise.resolve('A sentence that goes on. '.repeat(5_000));
    };
    const { tokens, notices, messages: sent } = await fitted({ messages, files }, 3_000, endless);
    expect(tokens).toBeLessThanOrEqual(3_000);
    expect(estimateChat(sent)).toBeLessThanOrEqual(tokens);
    expect(notices[0]).toBe(HALF_MISSING);
  });

  test('are summarised three at a time', async () => {
    const files = Array.from({ length: 9 }, (_, n) => ({ name: `${n}.md`, text: words(3_000) }));
    let open = 0;
    let most = 0;
    await fitted({ messages, files }, 6_000, async (text, wish) => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      return shorter(text, wish);
    });
    expect(most).toBe(3);
  });
});

describe('describeFit', () => {
  test('reports what fit would do without calling a model', () => {
    const files = [{ name: 'long.md', text: words(20_000) }];
    const messages = [user(words(2_000)), says(words(2_000)), user('Why?')];
    const measured = measure({ messages, files });
    expect(describeFit(measured, room(100_000))).toEqual([]);
    const foreseen = describeFit(measured, room(5_000)).map((each) => baseRenderer.notice(each));
    expect(foreseen).toEqual([
      'long.md (20,001 tokens) would be summarised to about 4,815.',
      expect.stringMatching(/^The 2 oldest messages of the conversation would be left out: 19,/),
    ]);
    expect(describeFit(measured, room(100))).toMatchObject([
      {
        code: 'prompt_does_not_fit',
        params: {
          reason: { code: 'request_too_long', params: { model: 'kimi-k2.6', roomTokens: 100 } },
        },
      },
    ]);
  });
});
