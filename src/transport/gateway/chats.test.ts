import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { GLM, KIMI, SOMEBODY, startChat } from './chats.fixture.ts';
import { MAX_UNREAD } from './chats.ts';

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const text = (said: string) => ({ type: 'text' as const, text: said });
const thought = (said: string) => ({ type: 'reasoning' as const, text: said });
const BROKEN = new CallError('interrupted', 'It broke off.');

test('a chat is a call of its operation, under the id that the answer names', () => {
  const { requests } = startChat();
  expect(requests).toMatchObject([
    {
      kind: 'operation',
      tool: 'gateway_chat',
      reqId: 'req_1',
      door: 'openai',
      caller: SOMEBODY,
      argsSha256: 'ab',
    },
  ]);
});

test('nothing is sent before the first word, and thoughts go out before it', async () => {
  const { out, tell, finish } = startChat();
  tell(KIMI, thought('Hm.'), thought('So.'));
  expect(out.is).toBe('waiting');
  tell(text('Hello.'));
  expect(out.is).toBe('streaming');
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\nreasoning So.\ntext Hello.\n');
  await finish();
  expect(out.is).toBe('ended');
  expect(out.body.endsWith('text Hello.\nend\n')).toBe(true);
});

test('the thoughts of who failed while thinking are not told', () => {
  const { out, tell } = startChat();
  tell(KIMI, thought('Hm.'), GLM, thought('So.'), text('Hello.'));
  expect(out.body).toBe('begin glm-5.3\nreasoning So.\ntext Hello.\n');
});

test('a tool call opens the stream as a word does', () => {
  const { out, tell } = startChat();
  tell(KIMI, { type: 'tool_call', index: 0, id: 'c', name: 'look', arguments: '{' });
  expect(out.is).toBe('streaming');
});

test('the head says who speaks, after how many attempts, and how the first one failed', () => {
  const { out, tell } = startChat();
  tell(KIMI, GLM, text('Hello.'));
  expect(out.headers).toEqual([
    'x-request-id',
    'req_1',
    'x-exai-provider',
    'glm',
    'x-exai-model',
    'glm-5.3',
    'x-exai-attempts',
    '2',
    'x-exai-fallback-reason',
    'kimi/kimi-k3 network',
  ]);
});

test('what fails before the first word is told by the status of HTTP', async () => {
  const { out, tell, finish } = startChat();
  tell(KIMI, thought('Hm.'));
  await finish(new CallError('exhausted_fallback_chain', 'Nobody answered.'));
  expect(out).toMatchObject({
    is: 'answered',
    status: 502,
    body: 'refused exhausted_fallback_chain',
  });
});

test('what fails after the first word is told within the stream, and nothing looks like a good end', async () => {
  const { out, tell, finish } = startChat();
  tell(KIMI, text('Hel'));
  await finish(BROKEN);
  expect(out.is).toBe('ended');
  expect(out.body).toBe('begin kimi-k3\ntext Hel\nfail interrupted\n');
});

test('after a while without a word the stream opens with signs of life, and thoughts go out as they come', async () => {
  const { out, clock, tell, finish } = startChat();
  tell(KIMI, thought('Hm.'));
  clock.advance(10_000);
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\n');
  clock.advance(15_000);
  tell(thought('So.'));
  await nextTick();
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\nalive\nreasoning So.\n');
  await finish(BROKEN);
  expect(out.body.endsWith('fail interrupted\n')).toBe(true);
});

test('what comes in one turn of the loop leaves in one piece', async () => {
  const { writes, tell } = startChat();
  tell(KIMI, text('a'));
  tell(text('b'), text('c'));
  await nextTick();
  expect(writes).toEqual(['begin kimi-k3\ntext a\n', 'text b\ntext c\n']);
});

test('an answer that is not streamed is sent when it is whole', async () => {
  const { out, requests, finish } = startChat('whole');
  expect(requests[0]).not.toHaveProperty('onProgress');
  await finish();
  expect(out).toMatchObject({ is: 'answered', status: 200, body: 'whole Hello.' });
  expect(out.headers).toContain('x-exai-provider');
});

test('a client that hangs up ends the call, before the head and after it', () => {
  for (const pieces of [[KIMI], [KIMI, text('a')]]) {
    const { out, tell, cancelled, chats } = startChat();
    tell(...pieces);
    out.hangUp();
    expect(cancelled.map((error) => error.class)).toEqual(['cancelled']);
    expect(chats.size).toBe(0);
  }
});

test('a client that does not read is cut, and the call ends', async () => {
  const { out, tell, cancelled } = startChat();
  tell(KIMI, text('a'));
  out.unread = MAX_UNREAD + 1;
  tell(text('b'));
  await nextTick();
  expect(out.is).toBe('cut');
  expect(cancelled).toHaveLength(1);
});

test('a client that reads nothing for two minutes is cut', () => {
  const { out, clock, tell } = startChat();
  tell(KIMI, text('a'));
  out.unread = 100;
  clock.advance(15_000 * 10);
  expect(out.is).toBe('cut');
});

test('who loses the right to be there is cut off from the answer', () => {
  const chat = startChat();
  chat.tell(KIMI, text('a'));
  chat.good = false;
  chat.clock.advance(15_000);
  expect(chat.cancelled.map((error) => error.class)).toEqual(['auth']);
});

test('who loses the right before the first word gets none, streamed or whole', async () => {
  const stream = startChat();
  stream.good = false;
  stream.tell(KIMI, text('a'));
  expect(stream.out.is).toBe('waiting');
  expect(stream.cancelled.map((error) => error.class)).toEqual(['auth']);
  const whole = startChat('whole');
  whole.good = false;
  await whole.finish();
  expect(whole.out).toMatchObject({ is: 'answered', status: 401, body: 'refused auth' });
});

test('calls wait by who asks, however many connections that one has', () => {
  expect(startChat().requests[0]).toMatchObject({ session: 's', turn: SOMEBODY.principal });
});

test('a door that closes waits for its chats, then ends them with words', async () => {
  const { chats, cancelled, finish } = startChat();
  let isIdle = false;
  void chats.idle().then(() => (isIdle = true));
  chats.end(BROKEN);
  expect(cancelled).toEqual([BROKEN]);
  await finish(BROKEN);
  await nextTick();
  expect(isIdle).toBe(true);
  expect(chats.size).toBe(0);
});

test('nothing of a chat remains when it is over', async () => {
  const { chats, clock, tell, finish, out } = startChat();
  tell(KIMI, text('a'));
  await finish();
  const sent = out.body;
  clock.advance(60_000);
  expect(chats.size).toBe(0);
  expect(out.body).toBe(sent);
});
