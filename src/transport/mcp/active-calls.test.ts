import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import { notice } from '#core/messages/notices.ts';
import type { Tool } from '#core/tools/tool.ts';
import { envelopeOf, withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  createTestCalls,
  createTestSession,
  failure,
  MODERN_META,
  notification,
  request,
  rpcError,
  SERVER_META,
  success,
} from './session.fixture.ts';

describe('a call', () => {
  test('is answered with the text as content and the envelope in _meta', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'echo', arguments: { a: 1 } }));
    expect(await channel.next(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: '{"a":1}' }],
          ...withEnvelope(success('echo', 'req_1', { a: 1 }).envelope),
        },
      },
    ]);
    expect(calls.started[0]?.request).toMatchObject({
      kind: 'tool',
      tool: 'echo',
      args: { a: 1 },
      caller: { principal: 'local', scopes: ['*'], roots: [] },
      transport: 'ws',
      session: 's1',
    });
  });

  verifies('tools:text-first', 'carries structured content only where it is set', async () => {
    const busy = new CallError('over_capacity', 'Too many.');
    const calls = createTestCalls();
    const fixture = { ...calls.find('echo'), structuredContent: 'always' } as Tool;
    const withFixture = { ...calls, find: () => fixture };
    const sessions = [
      { session: createTestSession(), isStructured: false },
      { session: createTestSession({ deps: { outputSchemas: true } }), isStructured: true },
      { session: createTestSession({ calls: withFixture }), isStructured: true },
    ];
    for (const { session, isStructured } of sessions) {
      session.say(request(1, 'tools/call', { name: 'wait' }));
      session.calls.started[0]?.answer(failure('wait', 'req_1', busy));
      session.say(request(2, 'tools/call', { name: 'echo' }));
      for (const { result } of (await session.channel.next(2)) as { result: object }[]) {
        const { structuredContent } = result as { structuredContent?: unknown };
        expect(structuredContent).toEqual(isStructured ? envelopeOf(result) : undefined);
      }
    }
  });

  test('in the modern era carries the type of the result and who gave it', async () => {
    const { say, channel } = createTestSession();
    say(request('x', 'tools/call', { name: 'echo', _meta: MODERN_META }));
    expect(await channel.next(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'x',
        result: {
          content: [{ type: 'text', text: '{}' }],
          resultType: 'complete',
          _meta: { ...SERVER_META, 'exai/envelope': success('echo', 'req_1', {}).envelope },
        },
      },
    ]);
  });

  test('reports its continuation on a separate line', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    const { envelope } = success('wait', 'req_1', 'said');
    const continuation = { id: 'conv_1', remaining_turns: 3, note: '' };
    calls.started[0]?.answer({ envelope: { ...envelope, continuation }, text: 'said' });
    expect(await channel.next(1)).toMatchObject([
      {
        result: {
          content: [
            { type: 'text', text: 'said' },
            { type: 'text', text: 'continuation_id: conv_1' },
          ],
        },
      },
    ]);
  });

  test('that fails is a result the model can read, with a retry time', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    const busy = new CallError('over_capacity', 'Too many.', { retryAfterMs: 1000 });
    calls.started[0]?.answer(failure('wait', 'req_1', busy));
    expect(await channel.next(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: 'Too many.' }],
          isError: true,
          _meta: {
            'exai/retry_after_ms': 1000,
            'exai/envelope': failure('wait', 'req_1', busy).envelope,
          },
        },
      },
    ]);
  });

  test('of a tool that does not exist is an error that names the nearest', async () => {
    const { say, channel } = createTestSession();
    say(request(1, 'tools/call', { name: 'ecco' }));
    expect(await channel.next(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32602,
          message: 'There is no tool "ecco"; did you mean "echo"?',
          data: {
            error_class: 'not_found',
            req_id: 'req_1',
            error: { message: 'There is no tool "ecco"; did you mean "echo"?' },
          },
        },
      },
    ]);
  });

  test('of a tool that did not find what it looked for is a result', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    const missing = new CallError('not_found', 'No such thread.');
    calls.started[0]?.answer(failure('wait', 'req_1', missing));
    expect(await channel.next(1)).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  test('whose answer cannot be written as JSON is a failure', async () => {
    const { say, channel, calls, log } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const { envelope } = success('wait', 'req_1', 0);
    calls.started[0]?.answer({ envelope: { ...envelope, content: circle }, text: 'said' });
    expect(await channel.next(1)).toMatchObject([
      {
        result: { isError: true, ...withEnvelope({ error_class: 'internal', req_id: 'req_1' }) },
      },
    ]);
    expect(log.lines).toMatchObject([{ event: 'mcp_reply_failed' }]);
  });

  test('carries the notices of its connection once, beside the first answer', async () => {
    const { say, channel } = createTestSession({
      about: { notices: [notice('text', { text: 'KIMI_API_KEY is not known here.' })] },
    });
    say(request(1, 'tools/call', { name: 'echo' }));
    say(request(2, 'tools/call', { name: 'echo' }));
    expect(await channel.next(2)).toMatchObject([
      {
        result: {
          content: [{ text: '{}' }, { text: 'KIMI_API_KEY is not known here.' }],
          ...withEnvelope({
            detail: 'KIMI_API_KEY is not known here.',
            notice_data: [{ code: 'text' }],
          }),
        },
      },
      { result: { content: [{ text: '{}' }] } },
    ]);
  });

  test('hands on the trace of the client, and nothing else of its _meta', () => {
    const { say, calls } = createTestSession();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const _meta = { ...MODERN_META, traceparent, secret: 'x' };
    say(request(1, 'tools/call', { name: 'wait', arguments: { a: 1 }, _meta }));
    say(
      request(2, 'tools/call', { name: 'wait', _meta: { ..._meta, traceparent: 'x'.repeat(999) } }),
    );
    expect(calls.started.map(({ request: { args, traceparent: trace } }) => [args, trace])).toEqual(
      [
        [{ a: 1 }, traceparent],
        [{}, undefined],
      ],
    );
  });

  test.each([
    ['no params', undefined],
    ['no name', {}],
    ['a name that is no text', { name: 7 }],
    ['arguments that are no object', { name: 'echo', arguments: [1] }],
    ['null as arguments', { name: 'echo', arguments: null }],
    ['a _meta that is no object', { name: 'echo', _meta: 'x' }],
    [
      'a progress token that is neither text nor number',
      { name: 'echo', _meta: { progressToken: {} } },
    ],
    ['a progress token without end', { name: 'echo', _meta: { progressToken: 'x'.repeat(1025) } }],
    ['params that are a list', ['echo']],
    ['params that are null', null],
  ])('with %s is refused as -32602', (_, params) => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', params));
    expect(channel.take()).toEqual([rpcError(1, -32602)]);
    expect(calls.started).toEqual([]);
  });

  test('with prototype keys is a call with these keys', async () => {
    const { session, channel, calls } = createTestSession();
    session.onMessage(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","__proto__":{"method":"ping"},' +
        '"params":{"name":"echo","__proto__":{"name":"wait"},"arguments":{"__proto__":{"polluted":1},"constructor":2}}}',
    );
    await channel.next(1);
    expect(Object.keys(calls.started[0]?.request.args as object)).toEqual([
      '__proto__',
      'constructor',
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    session.onMessage(
      '{"jsonrpc":"2.0","id":2,"method":"__proto__","params":{"_meta":{"__proto__":1}}}',
    );
    expect(await channel.next(1)).toEqual([rpcError(2, -32601)]);
  });

  test('nested without end reaches the tool or is refused, and harms nothing', async () => {
    const { session, channel, say } = createTestSession();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const params = `{"name":"echo","arguments":{"deep":${deep}}}`;
    session.onMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    expect(await channel.next(1)).toMatchObject([{ id: 1 }]);
    session.onMessage(`{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"x":${deep}}}`);
    session.onMessage(
      `{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"x","capabilities":{"experimental":{"a":{"b":${deep}}}},"clientInfo":{"name":"a","version":"1"}}}`,
    );
    say(request(4, 'ping'));
    const answers = (await channel.next(3)) as { id: number }[];
    expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([2, 3, 4]);
  });
});

describe('progress', () => {
  verifies(
    'mcp:progress',
    'always grows, and is left out while the client reads slowly or waits no more',
    async () => {
      const { say, channel, calls } = createTestSession();
      say(request(1, 'tools/call', { name: 'wait', _meta: { progressToken: 'p' } }));
      const step = (given: Progress) => calls.started[0]?.request.onProgress?.(given);
      step({ note: 'queued' });
      step({ note: 'asked' });
      step({ done: 5, total: 10 });
      step({ done: 4, total: 10, note: 'again' });
      step({ done: Number.NaN });
      channel.isClear = false;
      step({ done: 6 });
      channel.isClear = true;
      step({ done: 20, total: 10 });
      const told = channel.take() as { method: string; params: Record<string, unknown> }[];
      expect(told.map(({ params }) => params)).toEqual([
        { progressToken: 'p', progress: 0, message: 'queued' },
        { progressToken: 'p', progress: 1, message: 'asked' },
        { progressToken: 'p', progress: 5, total: 10 },
        { progressToken: 'p', progress: 5 + 1 / 1024, total: 10, message: 'again' },
        { progressToken: 'p', progress: 5 + 2 / 1024 },
        { progressToken: 'p', progress: 20 },
      ]);
      expect(told[0]).toMatchObject({ jsonrpc: '2.0', method: 'notifications/progress' });
      calls.started[0]?.answer(success('wait', 'req_1', 1));
      await channel.next(1);
      step({ done: 30 });
      expect(channel.sent).toEqual([]);
    },
  );

  test('is not sent without a token', () => {
    const { say, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    expect(calls.started[0]?.request).not.toHaveProperty('onProgress');
  });
});

describe('a cancellation', () => {
  test('stops the call, which then has no answer', async () => {
    const { say, channel, calls, session } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    say(notification('notifications/cancelled', { requestId: 1, reason: 'no need' }));
    expect(calls.started[0]?.cancelledWith).toBe('nothing');
    calls.started[0]?.request.onProgress?.({ done: 1 });
    await session.drain();
    expect(channel.sent).toEqual([]);
  });

  test.each([
    [{ requestId: 2 }],
    [{ requestId: '1' }],
    [{ requestId: { a: 1 } }],
    [{}],
    [undefined],
  ])('of nothing we know is ignored: %j', async (params) => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(notification('notifications/cancelled', params));
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    expect(await channel.next(1)).toMatchObject([{ id: 1, result: {} }]);
  });

  test('frees the id for another request', async () => {
    const { say, channel } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(notification('notifications/cancelled', { requestId: 1 }));
    say(request(1, 'tools/call', { name: 'echo' }));
    expect(await channel.next(1)).toMatchObject([{ id: 1, result: {} }]);
  });
});
