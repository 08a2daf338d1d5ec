import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { Http } from '#core/net/http.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createKeyPool } from './key-pool.ts';

type Script = (key: string) => AsyncIterable<ChatEvent>;

const FINISH: ChatEvent = { type: 'finish', reason: 'stop' };

async function* answer(text: string): AsyncIterable<ChatEvent> {
  yield { type: 'text', text };
  yield FINISH;
}

// eslint-disable-next-line require-yield
async function* refuse(error: CallError): AsyncIterable<ChatEvent> {
  throw error;
}

function setUp(script: Script, remaining: Readonly<Record<string, string>> = {}) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const http: Http = {
    async send({ url }) {
      const headers = { 'x-ratelimit-remaining-requests': remaining[url] ?? '' };
      return { status: 200, headers, body: answerBody(), text: async () => '' };
    },
    close: async () => undefined,
  };
  const create = (key: string, own: Http): Provider => ({
    id: 'custom',
    title: 'Pool',
    capabilities: [],
    async *chat(_request, { signal }) {
      asked.push(key);
      await own.send({ method: 'GET', url: key, headers: {}, signal });
      yield* script(key);
    },
    check: async () => `checked ${key}`,
  });
  const pool = createKeyPool({ clock, http, keys: ['one', 'two', 'three'], create });
  const context = {
    signal: new AbortController().signal,
    deadline: deadlineIn(clock, 10_000),
  };
  const request = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    delivery: 'whole',
  } as const;
  const chat = () => collectChat(pool.chat(request, context));
  return { chat, asked, clock, pool, context };
}

async function* answerBody(): AsyncIterable<Uint8Array> {
  yield new Uint8Array();
}

verifies('providers:several-keys', 'equal keys take turns', async () => {
  const { chat, asked } = setUp(() => answer('yes'));
  for (let times = 0; times < 6; times += 1) expect(await chat()).toMatchObject({ is: 'answered' });
  expect(asked.toSorted()).toEqual(['one', 'one', 'three', 'three', 'two', 'two']);
});

verifies('providers:several-keys', 'a refused key is replaced, and rests', async () => {
  const { chat, asked, clock } = setUp((key) =>
    key === 'one' ? refuse(new CallError('auth', 'No.')) : answer(key),
  );
  expect(await chat()).toMatchObject({ is: 'answered' });
  expect(asked).toEqual(['one', 'two']);
  await chat();
  await chat();
  expect(asked).toEqual(['one', 'two', 'three', 'two']);
  clock.advance(61_000);
  await chat();
  // It is tried again, and replaced again.
  expect(asked.slice(-2)).toEqual(['one', 'three']);
});

verifies('providers:several-keys', 'the key with requests left is preferred', async () => {
  const { chat, asked } = setUp(() => answer('yes'), { one: '0', two: '5', three: '90' });
  for (let times = 0; times < 5; times += 1) await chat();
  // Each was asked once to learn its rest; then the one with most left.
  expect(asked.slice(0, 3).toSorted()).toEqual(['one', 'three', 'two']);
  expect(asked.slice(3)).toEqual(['three', 'three']);
});

test('when every key is refused, the mildest error is reported', async () => {
  const { chat } = setUp((key) =>
    refuse(
      key === 'two'
        ? new CallError('rate_limit', 'Wait.', { retryAfterMs: 3000 })
        : new CallError('auth', 'No.'),
    ),
  );
  expect(await chat()).toMatchObject({
    is: 'failed',
    error: { class: 'rate_limit', retryAfterMs: 3000 },
  });
});

test('an answer that has begun, and other errors, are not repeated with another key', async () => {
  const begun = setUp(async function* () {
    yield { type: 'text', text: 'Be' };
    throw new CallError('rate_limit', 'Wait.');
  });
  expect(await begun.chat()).toMatchObject({ is: 'failed', error: { class: 'rate_limit' } });
  expect(begun.asked).toHaveLength(1);
  const other = setUp(() => refuse(new CallError('validation', 'Wrong.')));
  expect(await other.chat()).toMatchObject({ is: 'failed', error: { class: 'validation' } });
  expect(other.asked).toHaveLength(1);
});

test('a check says which keys fail, and fails where none works', async () => {
  const clock = createFakeClock();
  const context = { signal: new AbortController().signal, deadline: deadlineIn(clock, 10_000) };
  const http: Http = {
    send: async () => Promise.reject(new Error()),
    close: async () => undefined,
  };
  const poolOf = (...keys: [string, ...string[]]) =>
    createKeyPool({
      clock,
      http,
      keys,
      create: (key): Provider => ({
        id: 'custom',
        title: 'Pool',
        capabilities: [],
        chat: () => refuse(new CallError('auth', 'Wrong.')),
        async check() {
          if (key.startsWith('bad')) throw new CallError('auth', 'Wrong.');
          return 'the key works';
        },
        async tryModel(model) {
          if (key.startsWith('bad')) throw new CallError('auth', 'Wrong.');
          return model;
        },
      }),
    });
  const mixed = poolOf('bad', 'good', 'good2');
  expect(await mixed.check(context)).toBe('the key works; 2 of 3 keys work, key 1 fails (auth)');
  expect(await mixed.tryModel?.('m', context)).toBe('m');
  await expect(poolOf('bad', 'bad2').check(context)).rejects.toMatchObject({ class: 'auth' });
  await expect(poolOf('bad', 'bad2').tryModel?.('m', context)).rejects.toThrow('Wrong.');
});

test('a check asks with every key', async () => {
  const { pool, context } = setUp(() => answer('yes'));
  expect(await pool.check(context)).toBe('checked one; 3 keys');
});
