import { expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { pause } from '#core/turns.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { measure } from './measure.ts';
import { measureAhead } from './measure-paced.ts';

const CHINESE = '港口的守夜人每天读两次潮汐表，然后点亮灯塔。';

const messagesOf = (count: number, chars: number): ChatMessage[] =>
  Array.from({ length: count }, (_, at) => ({
    role: 'user',
    content: `${at} ${CHINESE}`.repeat(chars).slice(0, chars),
  }));
const requestOf = (messages: readonly ChatMessage[], more = {}) =>
  ({ messages, ...more }) as AskRequest;

test.each([
  ['many messages', () => messagesOf(4_000, 200)],
  ['a few long ones', () => messagesOf(8, 100_000)],
])('measuring ahead changes no count: %s', async (_, make) => {
  const files = [{ name: 'a.txt', text: CHINESE.repeat(10_000) }];
  const plain = measure(requestOf(make(), { files }));
  const ahead = requestOf(make(), { files });
  await measureAhead(ahead, pause);
  const { tokens, files: measured } = measure(ahead);
  expect([tokens, measured.digest]).toEqual([plain.tokens, plain.files.digest]);
});

test('a request of ordinary size is not measured ahead', () => {
  expect(measureAhead(requestOf(messagesOf(20, 1_000)), pause)).toBeUndefined();
});

verifies('stalls:turns', 'others get turns while a large request is measured', async () => {
  for (const messages of [messagesOf(60_000, 200), messagesOf(30, 400_000)]) {
    let turns = 0;
    await measureAhead(requestOf(messages), () => {
      turns += 1;
      return pause();
    });
    const megabytes = messages.reduce((sum, { content }) => sum + content.length, 0) / 1e6;
    expect(turns).toBeGreaterThanOrEqual(2 * megabytes);
  }
});

test('a large tool schema is counted as often as its tool is used, and measured once', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [`name_${at}`, { type: 'string' }]),
  );
  const tool = { name: 'wide', description: '', parameters: { type: 'object', properties } };
  const one = estimateChat([], [tool]) - estimateChat([]);
  expect(one).toBeGreaterThan(20_000);
  expect(estimateChat([], [tool, tool]) - estimateChat([])).toBe(2 * one);
  let turns = 0;
  await measureAhead(requestOf(messagesOf(1, 10), { tools: [tool] }), () => {
    turns += 1;
    return Promise.resolve();
  });
  expect(turns).toBeGreaterThanOrEqual(1);
});
