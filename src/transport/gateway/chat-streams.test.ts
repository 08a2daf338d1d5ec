import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { GLM, KIMI, CLIENT, startChat } from './chat-streams.fixture.ts';
import { MAX_STREAM_BUFFER_BYTES } from './chat-streams.ts';

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const text = (text: string) => ({ type: 'text' as const, text: text });
const thought = (text: string) => ({ type: 'reasoning' as const, text: text });
const BROKEN = new CallError('interrupted', 'It broke off.');

test('a chat is a call of its operation, with the id of the response', () => {
  const { requests } = startChat();
  expect(requests).toMatchObject([
    {
      kind: 'operation',
      tool: 'gateway_chat',
      reqId: 'req_1',
      transport: 'openai',
      caller: CLIENT,
      argsSha256: 'ab',
    },
  ]);
});

test('nothing is sent before the first text, and reasoning is sent before it', async () => {
  const { out, emit, finish } = startChat();
  emit(KIMI, thought('Hm.'), thought('So.'));
  expect(out.is).toBe('waiting');
  emit(text('Hello.'));
  expect(out.is).toBe('streaming');
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\nreasoning So.\ntext Hello.\n');
  await finish();
  expect(out.is).toBe('ended');
  expect(out.body.endsWith('text Hello.\nend\n')).toBe(true);
});

test('the reasoning of an attempt that failed before any text is not sent', () => {
  const { out, emit } = startChat();
  emit(KIMI, thought('Hm.'), GLM, thought('So.'), text('Hello.'));
  expect(out.body).toBe('begin glm-5.3\nreasoning So.\ntext Hello.\n');
});

test('a tool call opens the stream like a text', () => {
  const { out, emit } = startChat();
  emit(KIMI, { type: 'tool_call', index: 0, id: 'c', name: 'look', arguments: '{' });
  expect(out.is).toBe('streaming');
});

test('the head has the model, the number of attempts and how the first one failed', () => {
  const { out, emit } = startChat();
  emit(KIMI, GLM, text('Hello.'));
  expect(out.headers).toEqual([
    'x-request-id',
    'req_1',
    'openai-version',
    '2020-10-01',
    'openai-processing-ms',
    '0',
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

test('a failure before the first text is an HTTP status', async () => {
  const { out, emit, finish } = startChat();
  emit(KIMI, thought('Hm.'));
  await finish(new CallError('exhausted_fallback_chain', 'Nobody answered.'));
  expect(out).toMatchObject({
    is: 'answered',
    status: 502,
    body: 'refused exhausted_fallback_chain',
  });
});

test('a failure after the first text is an event of the stream, without a normal end', async () => {
  const { out, emit, finish } = startChat();
  emit(KIMI, text('Hel'));
  await finish(BROKEN);
  expect(out.is).toBe('ended');
  expect(out.body).toBe('begin kimi-k3\ntext Hel\nfail interrupted\n');
});

test('after a while without text the stream opens with keepalives, and reasoning is sent as it comes', async () => {
  const { out, clock, emit, finish } = startChat();
  emit(KIMI, thought('Hm.'));
  clock.advance(10_000);
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\n');
  clock.advance(15_000);
  emit(thought('So.'));
  await nextTick();
  expect(out.body).toBe('begin kimi-k3\nreasoning Hm.\nalive\nreasoning So.\n');
  await finish(BROKEN);
  expect(out.body.endsWith('fail interrupted\n')).toBe(true);
});

test('the parts of one event loop turn are sent in one write', async () => {
  const { writes, emit } = startChat();
  emit(KIMI, text('a'));
  emit(text('b'), text('c'));
  await nextTick();
  expect(writes).toEqual(['begin kimi-k3\ntext a\n', 'text b\ntext c\n']);
});

test('an answer that is not streamed is sent when it is complete', async () => {
  const { out, requests, finish } = startChat('whole');
  expect(requests[0]).not.toHaveProperty('onProgress');
  await finish();
  expect(out).toMatchObject({ is: 'answered', status: 200, body: 'whole Hello.' });
  expect(out.headers).toContain('x-exai-provider');
});

test('a client that disconnects cancels the call, before and after the head', () => {
  for (const pieces of [[KIMI], [KIMI, text('a')]]) {
    const { out, emit, cancelled, chats } = startChat();
    emit(...pieces);
    out.hangUp();
    expect(cancelled.map((error) => error.class)).toEqual(['cancelled']);
    expect(chats.size).toBe(0);
  }
});

test('a client that does not read is disconnected, and the call ends', async () => {
  const { out, emit, cancelled } = startChat();
  emit(KIMI, text('a'));
  out.bufferedBytes = MAX_STREAM_BUFFER_BYTES + 1;
  emit(text('b'));
  await nextTick();
  expect(out.is).toBe('cut');
  expect(cancelled).toHaveLength(1);
});

test('a client that reads nothing for two minutes is disconnected', () => {
  const { out, clock, emit } = startChat();
  emit(KIMI, text('a'));
  out.bufferedBytes = 100;
  clock.advance(15_000 * 10);
  expect(out.is).toBe('cut');
});

test('a caller whose credential is revoked gets no more of the answer', () => {
  const chat = startChat();
  chat.emit(KIMI, text('a'));
  chat.isCredentialValid = false;
  chat.clock.advance(15_000);
  expect(chat.cancelled.map((error) => error.class)).toEqual(['auth']);
});

test('a caller whose credential is revoked before the first text gets nothing, streamed or not', async () => {
  const stream = startChat();
  stream.isCredentialValid = false;
  stream.emit(KIMI, text('a'));
  expect(stream.out.is).toBe('waiting');
  expect(stream.cancelled.map((error) => error.class)).toEqual(['auth']);
  const whole = startChat('whole');
  whole.isCredentialValid = false;
  await whole.finish();
  expect(whole.out).toMatchObject({ is: 'answered', status: 401, body: 'refused auth' });
});

test('an answer that was paid for and could not be recorded is in the error', async () => {
  const whole = startChat('whole', 'json');
  await whole.finish(new CallError('over_capacity', 'The disk is full.'), 'paid');
  expect(whole.out).toMatchObject({ is: 'answered', status: 503 });
  expect(JSON.parse(whole.out.body)).toMatchObject({
    error: 'refused over_capacity',
    exai: { answer: 'whole Hello.' },
  });
});

test('calls queue by principal, whatever the number of its connections', () => {
  expect(startChat().requests[0]).toMatchObject({ session: 's', fairnessKey: CLIENT.principal });
});

test('closing waits for running chats, then cancels them with an error', async () => {
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

test('nothing of a chat remains after its end', async () => {
  const { chats, clock, emit, finish, out } = startChat();
  emit(KIMI, text('a'));
  await finish();
  const sent = out.body;
  clock.advance(60_000);
  expect(chats.size).toBe(0);
  expect(out.body).toBe(sent);
});
