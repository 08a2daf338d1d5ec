import { describe, expect, test } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import type { CallResult } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { LogLevel, InputRequests } from '#core/tools/input-request.ts';
import {
  createTestSession,
  failure,
  MODERN_META,
  notification,
  request,
  rpcError,
  success,
  type TestSession,
} from './session.fixture.ts';

const NAME: InputRequests = {
  name: { is: 'form', message: 'Who are you?', schema: { type: 'object', properties: {} } },
};
const ALL: InputRequests = {
  ...NAME,
  page: { is: 'visit', message: 'Look at it.', url: 'https://example.test/' },
  words: { is: 'sample', request: { messages: [], maxTokens: 5 } },
  folders: { is: 'roots' },
};

function asking(questions: InputRequests, state = 'sealed'): CallResult {
  const envelope = { ...success('wait', 'req_1', null).envelope, status: 'input_required' };
  return { envelope, text: 'It needs an answer.', inputRequired: { questions, state } };
}

const ABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function begin(capabilities: object = ABLE): TestSession {
  const test = createTestSession();
  const clientInfo = { name: 'test', version: '1' };
  test.say(request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo }));
  test.channel.take();
  return test;
}

describe('a call that asks, of a legacy client', () => {
  verifies(
    'mcp:rounds',
    'puts its questions as requests and is made again with the answers',
    async () => {
      const { say, channel, calls } = begin();
      say(request(1, 'tools/call', { name: 'wait', arguments: { a: 1 } }));
      expect(calls.started[0]?.request.clientCapabilities).toEqual([
        'form',
        'visit',
        'sample',
        'roots',
      ]);
      calls.started[0]?.answer(asking(ALL));
      const url = 'https://example.test/';
      expect(await channel.next(4)).toEqual([
        {
          jsonrpc: '2.0',
          id: 'exai-s1-1',
          method: 'elicitation/create',
          params: { message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } },
        },
        {
          jsonrpc: '2.0',
          id: 'exai-s1-2',
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Look at it.', url, elicitationId: 'exai-s1-2' },
        },
        {
          jsonrpc: '2.0',
          id: 'exai-s1-3',
          method: 'sampling/createMessage',
          params: { messages: [], maxTokens: 5 },
        },
        { jsonrpc: '2.0', id: 'exai-s1-4', method: 'roots/list' },
      ]);
      const answers = [
        { action: 'accept', content: { name: 'Ada' } },
        { action: 'accept' },
        {},
        {},
      ];
      answers.forEach((result, n) => say({ jsonrpc: '2.0', id: `exai-s1-${n + 1}`, result }));
      await expect.poll(() => calls.started.length).toBe(2);
      expect(calls.started[1]?.request).toMatchObject({
        tool: 'wait',
        args: { a: 1 },
        state: 'sealed',
        answers: { name: answers[0], page: answers[1], words: {}, folders: {} },
      });
      calls.started[1]?.answer(success('wait', 'req_2', 'done'));
      expect(await channel.next(1)).toMatchObject([
        { id: 1, result: { ...withEnvelope({ content: 'done' }) } },
      ]);
    },
  );

  test('fails when the client refuses one of them, and takes the others back', async () => {
    const { say, channel, calls } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    calls.started[0]?.answer(asking({ ...NAME, folders: { is: 'roots' } }));
    await channel.next(2);
    say({ jsonrpc: '2.0', id: 'exai-s1-1', error: { code: -32601, message: 'no\nforms' } });
    expect(await channel.next(2)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'exai-s1-2' } },
      {
        id: 1,
        result: {
          isError: true,
          content: [{ text: 'The client refused what it was asked (-32601): no forms' }],
        },
      },
    ]);
    say({ jsonrpc: '2.0', id: 'exai-s1-2', result: {} });
    say({ jsonrpc: '2.0', id: 'exai-s1-99', result: {} });
    expect(channel.take()).toEqual([]);
  });

  test('fails when the client refuses in an unusual way, and the reason stays short', async () => {
    for (const error of [
      { code: { toString: 1, valueOf: 1 }, message: 7 },
      { code: 'x'.repeat(1000), message: 'y'.repeat(1000) },
      'no',
      undefined,
    ]) {
      const { say, channel, calls } = begin();
      say(request(1, 'tools/call', { name: 'wait' }));
      calls.started[0]?.answer(asking(NAME));
      await channel.next(1);
      say({ jsonrpc: '2.0', id: 'exai-s1-1', error: error ?? null });
      const [answer] = (await channel.next(1)) as { result: { content: { text: string }[] } }[];
      expect(answer?.result).toMatchObject({ isError: true });
      expect(answer?.result.content[0]?.text.length).toBeLessThan(300);
    }
  });

  test('whose input request is not JSON fails alone', async () => {
    const { say, channel, calls } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    calls.started[0]?.answer(asking({ odd: { is: 'sample', request: circle as never } }));
    expect(await channel.next(1)).toMatchObject([
      { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'internal' }) } },
    ]);
  });

  test('is ended when the daemon stops and no answer can come any more', async () => {
    const { say, channel, calls, session } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(request(2, 'tools/call', { name: 'wait' }));
    calls.started[0]?.answer(asking(NAME));
    await channel.next(1);
    const drained = session.drain('one_way');
    expect(await channel.next(2)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'exai-s1-1' } },
      { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'interrupted' }) } },
    ]);
    calls.started[1]?.answer(asking(NAME));
    expect(await channel.next(1)).toMatchObject([
      { id: 2, result: { isError: true, ...withEnvelope({ error_class: 'interrupted' }) } },
    ]);
    await drained;
  });

  test('ends when its client sends no more', async () => {
    const { say, channel, calls, session } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    session.onEnd();
    calls.started[0]?.answer(asking(NAME));
    expect(await channel.next(1)).toMatchObject([
      { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'interrupted' }) } },
    ]);
    expect(channel.closed).toHaveLength(1);
  });

  test('times out without an answer', async () => {
    const { say, channel, calls, clock } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    calls.started[0]?.answer(asking(NAME));
    await channel.next(1);
    clock.advance(600_000);
    expect(await channel.next(2)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'exai-s1-1' } },
      { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'timeout' }) } },
    ]);
  });

  test('takes its question back when it is cancelled, and is not answered', async () => {
    const { say, channel, calls, session } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    calls.started[0]?.answer(asking(NAME));
    await channel.next(1);
    say(notification('notifications/cancelled', { requestId: 1 }));
    expect(await channel.next(1)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'exai-s1-1' } },
    ]);
    say({ jsonrpc: '2.0', id: 'exai-s1-1', result: { action: 'accept' } });
    await session.drain();
    expect([channel.take(), calls.started.length]).toEqual([[], 1]);
  });

  test('comes to an end though it never has enough', async () => {
    const { say, channel, calls } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    for (let round = 0; round <= 8; round++) {
      await expect.poll(() => calls.started.length).toBe(round + 1);
      calls.started[round]?.answer(asking(NAME));
      if (round === 8) break;
      await channel.next(1);
      say({ jsonrpc: '2.0', id: `exai-s1-${round + 1}`, result: { action: 'accept' } });
    }
    expect(await channel.next(1)).toMatchObject([
      { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'tool_error' }) } },
    ]);
  });
});

describe('the input requests that a client supports', () => {
  for (const [capabilities, kinds] of [
    [{}, []],
    [{ elicitation: {} }, ['form']],
    [{ elicitation: { url: {} } }, ['visit']],
    [{ elicitation: { form: {}, url: {} } }, ['form', 'visit']],
    [{ sampling: {}, roots: { listChanged: true } }, ['sample', 'roots']],
  ] as const) {
    test(`are read from ${JSON.stringify(capabilities)}`, () => {
      const { say, calls } = begin(capabilities);
      say(request(1, 'tools/call', { name: 'wait' }));
      const modern = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
      const other = createTestSession();
      other.say(request(1, 'tools/call', { name: 'wait', _meta: modern }));
      expect(calls.started[0]?.request.clientCapabilities).toEqual(kinds);
      expect(other.calls.started[0]?.request.clientCapabilities).toEqual(kinds);
    });
  }
});

describe('a call that asks, of a modern client', () => {
  test('is answered with its questions, and made again by the client', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', _meta: MODERN_META }));
    calls.started[0]?.answer(asking(ALL));
    const url = 'https://example.test/';
    expect(await channel.next(1)).toMatchObject([
      {
        id: 1,
        result: {
          resultType: 'input_required',
          requestState: 'sealed',
          inputRequests: {
            name: { method: 'elicitation/create', params: { message: 'Who are you?' } },
            page: { method: 'elicitation/create', params: { mode: 'url', url } },
            words: { method: 'sampling/createMessage' },
            folders: { method: 'roots/list' },
          },
        },
      },
    ]);
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
    const again = { name: 'wait', inputResponses, requestState: 'sealed', _meta: MODERN_META };
    say(request(2, 'tools/call', again));
    expect(calls.started[1]?.request).toMatchObject({ answers: inputResponses, state: 'sealed' });
  });

  for (const [what, params] of [
    ['answers that are no object', { inputResponses: null }],
    ['an answer that is none', { inputResponses: { name: 12345 } }],
    ['a state that is no text', { requestState: {} }],
  ] as const) {
    test(`is refused with ${what}`, () => {
      const { say, channel, calls } = createTestSession();
      say(request(1, 'tools/call', { name: 'wait', ...params, _meta: MODERN_META }));
      expect([channel.take(), calls.started]).toEqual([[rpcError(1, -32602)], []]);
    });
  }

  test('is refused with a state that is not ours, as a wrong parameter', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', requestState: 'x', _meta: MODERN_META }));
    const error = new CallError('validation', 'It is no good.', { field: 'requestState' });
    calls.started[0]?.answer(failure('wait', 'req_1', error));
    expect(await channel.next(1)).toEqual([rpcError(1, -32602)]);
  });

  test('names the missing capability when the client does not support it', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', _meta: MODERN_META }));
    const lacks = ['sample', 'form'] as const;
    const error = new CallError('bad_request', 'It cannot be asked.', { lacks });
    calls.started[0]?.answer(failure('wait', 'req_1', error));
    expect(await channel.next(1)).toMatchObject([
      {
        id: 1,
        error: { code: -32021, data: { requiredCapabilities: { sampling: {}, elicitation: {} } } },
      },
    ]);
  });
});

describe('what a tool logs to its client', () => {
  test('reaches a legacy client from its level on', async () => {
    const { say, channel, calls } = begin();
    say(request(1, 'tools/call', { name: 'wait' }));
    const tell = (level: LogLevel, data: unknown) =>
      calls.started[0]?.request.onClientLog?.(level, data);
    tell('debug', 'too little');
    tell('info', { step: 1 });
    say(request(2, 'logging/setLevel', { level: 'error' }));
    tell('warning', 'too little now');
    tell('critical', 'enough');
    expect(channel.take()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', logger: 'wait', data: { step: 1 } },
      },
      { jsonrpc: '2.0', id: 2, result: {} },
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'critical', logger: 'wait', data: 'enough' },
      },
    ]);
    channel.isClear = false;
    tell('critical', 'left out while it reads slowly');
    channel.isClear = true;
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    await channel.next(1);
    tell('critical', 'after the answer');
    expect(channel.take()).toEqual([]);
  });

  test('reaches a modern client only where its request asks for it', () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', _meta: MODERN_META }));
    calls.started[0]?.request.onClientLog?.('emergency', 'nobody wants to know');
    const _meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'warning' };
    say(request(2, 'tools/call', { name: 'wait', _meta }));
    calls.started[1]?.request.onClientLog?.('info', 'too little');
    calls.started[1]?.request.onClientLog?.('warning', 'enough');
    expect(channel.take()).toMatchObject([{ params: { level: 'warning', data: 'enough' } }]);
  });

  test('needs a valid level', () => {
    const { say, channel } = begin();
    say(request(1, 'logging/setLevel', { level: 'loud' }));
    say(request(2, 'logging/setLevel'));
    expect(channel.take()).toEqual([rpcError(1, -32602), rpcError(2, -32602)]);
  });
});
