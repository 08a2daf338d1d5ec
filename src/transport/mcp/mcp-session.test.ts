import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { withEnvelope } from '../../../test/read-envelope.ts';
import {
  createTestSession,
  failure,
  INITIALIZE,
  MODERN_META,
  notification,
  request,
  rpcError,
  SERVER_META,
  success,
} from './session.fixture.ts';

describe('a list', () => {
  test('is what the caller may use', () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/list'));
    say(request(2, 'tools/list', { cursor: '' }));
    const { tools } = calls.list({ principal: 'local', scopes: [], roots: [] });
    expect(channel.take()).toEqual([
      { jsonrpc: '2.0', id: 1, result: { tools } },
      { jsonrpc: '2.0', id: 2, result: { tools } },
    ]);
  });

  test('in the modern era says how long it may be cached, and for whom', () => {
    const { say, channel } = createTestSession();
    say(request(1, 'tools/list', { _meta: MODERN_META }));
    expect(channel.take()).toMatchObject([
      {
        result: {
          tools: [{ name: 'echo' }, { name: 'wait' }],
          ttlMs: 60_000,
          cacheScope: 'private',
          resultType: 'complete',
          _meta: SERVER_META,
        },
      },
    ]);
  });

  test('has no second page', () => {
    const { say, channel } = createTestSession();
    say(request(1, 'tools/list', { cursor: 'page2' }));
    expect(channel.take()).toEqual([rpcError(1, -32602)]);
  });

  test('that changes is notified to a legacy client once it is initialized', async () => {
    const { say, channel, calls } = createTestSession();
    calls.change();
    say(INITIALIZE);
    await channel.next(1);
    calls.change();
    expect(channel.take()).toEqual([]);
    say(notification('notifications/initialized'));
    calls.change();
    expect(channel.take()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
  });
});

describe('initialize', () => {
  const good = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };

  test('agrees on the client’s revision, or offers our newest', () => {
    const { say, channel } = createTestSession();
    say(request(1, 'initialize', good));
    say(request(2, 'initialize', { ...good, protocolVersion: '1999-01-01' }));
    expect(channel.take()).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'exai' } } },
      { id: 2, result: { protocolVersion: '2025-11-25', instructions: 'Ask it anything.' } },
    ]);
  });

  for (const [what, params] of [
    ['without anything', undefined],
    ['with a number as revision', { ...good, protocolVersion: 7 }],
    ['with capabilities that are a list', { ...good, capabilities: [] }],
    ['with a capability that is a text', { ...good, capabilities: { roots: 'yes' } }],
    ['with a nameless client', { ...good, clientInfo: { version: '1' } }],
  ] as const) {
    test(`${what} is refused with a reason`, () => {
      const { say, channel } = createTestSession();
      say(request(1, 'initialize', params));
      expect(channel.take()).toEqual([rpcError(1, -32602)]);
    });
  }
});

describe('completion', () => {
  const ref = { type: 'ref/prompt', name: 'any' };
  const argument = { name: 'topic', value: 'a' };

  test('gives at most a hundred values and says how many there are', async () => {
    const { say, channel, calls } = createTestSession();
    calls.complete = () => Promise.resolve(Array.from({ length: 150 }, (_, n) => `v${n}`));
    say(request(1, 'completion/complete', { ref, argument }));
    const [answer] = (await channel.next(1)) as { result: { completion: { values: string[] } } }[];
    expect(answer?.result.completion).toMatchObject({ total: 150, hasMore: true });
    expect(answer?.result.completion.values).toHaveLength(100);
  });

  test('of what there is not is a wrong parameter', async () => {
    const { say, channel, calls } = createTestSession();
    calls.complete = () => Promise.reject(new CallError('not_found', 'There is no such prompt.'));
    say(request(1, 'completion/complete', { ref, argument }));
    expect(await channel.next(1)).toEqual([rpcError(1, -32602)]);
  });

  for (const [what, params] of [
    ['no reference', { argument }],
    ['a reference of another kind', { ref: { type: 'ref/tool', name: 'x' }, argument }],
    ['no argument', { ref }],
    ['an argument without a value', { ref, argument: { name: 'x' } }],
    ['a context that is no texts', { ref, argument, context: { arguments: { a: 1 } } }],
  ] as const) {
    test(`with ${what} is refused`, async () => {
      const { say, channel } = createTestSession();
      say(request(1, 'completion/complete', params));
      expect(await channel.next(1)).toEqual([rpcError(1, -32602)]);
    });
  }
});

describe('a prompt or a resource', () => {
  test('is what the call returned; a modern resource is not cacheable', async () => {
    const { say, channel, calls } = createTestSession();
    calls.start = (asked) => {
      const content = { asked: [asked.kind, asked.tool, asked.args] };
      const answer = Promise.resolve(success('any', 'req_1', content));
      return { reqId: 'req_1', answer, cancel: () => undefined, extend: () => undefined };
    };
    say(request(1, 'prompts/get', { name: 'p', arguments: { a: 'x' }, _meta: MODERN_META }));
    say(request(2, 'resources/read', { uri: 'test://r', _meta: MODERN_META }));
    const complete = { resultType: 'complete', _meta: SERVER_META };
    expect(await channel.next(2)).toEqual([
      { jsonrpc: '2.0', id: 1, result: { asked: ['prompt', 'p', { a: 'x' }], ...complete } },
      {
        jsonrpc: '2.0',
        id: 2,
        result: {
          asked: ['resource', 'test://r', {}],
          ttlMs: 0,
          cacheScope: 'private',
          ...complete,
        },
      },
    ]);
  });

  for (const [era, meta, code] of [
    ['legacy', {}, -32002],
    ['modern', { _meta: MODERN_META }, -32602],
  ] as const) {
    test(`that does not exist has its own error in the ${era} era`, async () => {
      const { say, channel, calls } = createTestSession();
      calls.start = ({ tool }) => {
        const error = new CallError('not_found', 'There is none.');
        const answer = Promise.resolve(failure(tool, 'req_1', error));
        return { reqId: 'req_1', answer, cancel: () => undefined, extend: () => undefined };
      };
      say(request(1, 'resources/read', { uri: 'test://none', ...meta }));
      say(request(2, 'prompts/get', { name: 'none', ...meta }));
      expect(await channel.next(2)).toMatchObject([
        { id: 1, error: { code, data: { uri: 'test://none' } } },
        rpcError(2, -32602) as object,
      ]);
    });
  }

  test('must have a name, or an address', () => {
    const { say, channel } = createTestSession();
    say(request(1, 'prompts/get', { arguments: {} }));
    say(request(2, 'resources/read', { name: 'x' }));
    expect(channel.take()).toEqual([rpcError(1, -32602), rpcError(2, -32602)]);
  });
});

describe('limits', () => {
  test('the 1,025th call in flight gets a retry time', async () => {
    const { say, channel, calls } = createTestSession();
    for (let id = 0; id < 1024; id++) say(request(id, 'tools/call', { name: 'wait' }));
    say(request('more', 'tools/call', { name: 'wait' }));
    say(request('list', 'tools/list'));
    say(request('other', 'completion/complete', {}));
    expect(channel.take()).toMatchObject([
      {
        id: 'more',
        result: {
          isError: true,
          _meta: {
            'exai/retry_after_ms': 1000,
            'exai/envelope': { error_class: 'over_capacity', tool: 'wait' },
          },
        },
      },
      { id: 'list', result: {} },
      { id: 'other', error: { code: -31069, data: { error_class: 'over_capacity' } } },
    ]);
    expect(calls.started).toHaveLength(1024);
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    await channel.next(1);
    say(request('more', 'tools/call', { name: 'echo' }));
    expect(await channel.next(1)).toMatchObject([{ id: 'more', result: {} }]);
  });
});

describe('the end', () => {
  test('of what the client sends leaves its calls running, and closes after the last answer', async () => {
    const { say, session, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    session.onEnd();
    expect(channel.closed).toEqual([]);
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    expect(await channel.next(1)).toMatchObject([{ id: 1, result: {} }]);
    expect([channel.closed, calls.listeners]).toEqual([[{ code: 1000, reason: '' }], 0]);
  });

  test('of what an idle client sends closes at once', () => {
    const { session, channel } = createTestSession();
    session.onEnd();
    session.onClose();
    expect(channel.closed).toEqual([{ code: 1000, reason: '' }]);
  });

  test('of a subscription is its result, sent before the connection closes', async () => {
    const { say, session, channel } = createTestSession();
    const listen = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    say(request('sub', 'subscriptions/listen', listen));
    expect(await channel.next(1)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
    ]);
    session.onEnd();
    expect(await channel.next(1)).toMatchObject([
      { id: 'sub', result: { resultType: 'complete' } },
    ]);
    await expect.poll(() => channel.closed).toEqual([{ code: 1000, reason: '' }]);
  });

  test('of the daemon is the end of subscriptions, but not to who comes back by itself', async () => {
    const listen = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
    for (const [about, words] of [
      [{}, [{ id: 'sub', result: { resultType: 'complete' } }]],
      [{ reconnects: true }, []],
    ] as const) {
      const { say, session, channel } = createTestSession({ about });
      say(request('sub', 'subscriptions/listen', listen));
      channel.take();
      await session.drain();
      expect(channel.take()).toMatchObject(words);
    }
  });

  test('of the connection cancels what runs, and nothing is sent any more', async () => {
    const { say, session, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(request(2, 'tools/call', { name: 'wait' }));
    const drained = session.drain();
    session.onClose();
    await drained;
    expect(calls.started.map(({ cancelledWith }) => cancelledWith)).toEqual([
      expect.objectContaining({ class: 'cancelled' }),
      expect.objectContaining({ class: 'cancelled' }),
    ]);
    say(request(3, 'tools/call', { name: 'echo' }));
    await Promise.resolve();
    expect([channel.sent, calls.started.length, calls.listeners]).toEqual([[], 2, 0]);
    await session.drain();
  });

  verifies(
    'daemon:interrupted',
    'of the time to drain answers what runs with interrupted, and cancels it',
    async () => {
      const { say, session, channel, calls } = createTestSession();
      say(request(1, 'tools/call', { name: 'wait' }));
      const drained = session.drain();
      session.interrupt();
      await drained;
      expect(channel.take()).toMatchObject([
        { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'interrupted' }) } },
      ]);
      expect(calls.started[0]?.cancelledWith).toMatchObject({ class: 'interrupted' });
    },
  );

  verifies(
    'daemon:interrupted',
    'of the time to drain is told to a command line, which connects again but sends nothing again',
    async () => {
      const { say, session, channel } = createTestSession({ about: { reconnects: true } });
      say(request(1, 'tools/call', { name: 'wait' }));
      const drained = session.drain();
      session.interrupt();
      await drained;
      expect(channel.take()).toMatchObject([
        { id: 1, result: { isError: true, ...withEnvelope({ error_class: 'interrupted' }) } },
      ]);
    },
  );

  describe('of the daemon, to a client that sends requests again', () => {
    const about = { reconnects: true, resends: true } as const;
    const stopping = (begun: readonly number[]) => ({
      method: 'notifications/exai/stopping',
      params: { begun },
    });

    test('calls that come then are not begun, and the last message says so', async () => {
      const { say, session, channel, calls } = createTestSession({ about });
      say(request(1, 'tools/call', { name: 'wait' }));
      const drained = session.drain();
      say(request(2, 'tools/call', { name: 'echo' }));
      say(request(3, 'ping'));
      expect(channel.take()).toMatchObject([{ id: 3, result: {} }]);
      calls.started[0]?.answer(success('wait', 'req_1', 1));
      await drained;
      expect(channel.take()).toMatchObject([{ id: 1, result: {} }, stopping([])]);
      say(request(4, 'ping'));
      expect([channel.take(), calls.started.length]).toEqual([[], 1]);
    });

    test('what is still running when the time is over is named', async () => {
      const { say, session, channel, calls } = createTestSession({ about });
      say(request(1, 'tools/call', { name: 'wait' }));
      const drained = session.drain();
      session.interrupt();
      expect(channel.take()).toMatchObject([stopping([1])]);
      session.onClose();
      await drained;
      expect(calls.started[0]?.cancelledWith).toMatchObject({ class: 'cancelled' });
      expect([channel.take(), calls.listeners]).toEqual([[], 0]);
    });
  });

  test('of the daemon refuses new calls and waits for those that run', async () => {
    const { say, session, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    let isDrained = false;
    const drained = session.drain().then(() => (isDrained = true));
    say(request(2, 'tools/call', { name: 'echo' }));
    say(request(3, 'tools/list'));
    expect(channel.take()).toMatchObject([
      {
        id: 2,
        result: {
          isError: true,
          content: [{ text: expect.stringContaining('The daemon is stopping.') as string }],
          ...withEnvelope({ error_class: 'over_capacity' }),
        },
      },
      { id: 3, result: {} },
    ]);
    expect(isDrained).toBe(false);
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    await drained;
    expect(channel.take()).toMatchObject([{ id: 1, result: {} }]);
  });
});

test('a fault of our own fails one request and leaves the connection alone', async () => {
  const { say, channel, calls, log } = createTestSession();
  calls.page = () => {
    throw new TypeError('a bug');
  };
  calls.start = () => {
    throw new TypeError('another');
  };
  say(request(1, 'tools/list'));
  say(request(2, 'tools/call', { name: 'echo' }));
  say(request(2, 'ping'));
  expect(channel.take()).toEqual([
    rpcError(1, -32603),
    rpcError(2, -32603),
    { jsonrpc: '2.0', id: 2, result: {} },
  ]);
  expect(log.lines).toMatchObject([
    { event: 'mcp_message_failed' },
    { event: 'mcp_message_failed' },
  ]);
  const broken = createTestSession();
  broken.calls.start = () => ({
    reqId: 'req_1',
    answer: Promise.reject(new TypeError('a bug')),
    cancel: () => undefined,
    extend: () => undefined,
  });
  broken.say(request(1, 'tools/call', { name: 'echo' }));
  expect(await broken.channel.next(1)).toMatchObject([{ id: 1, result: { isError: true } }]);
});
