import { describe, expect, test } from 'vitest';
import { connectSdk, type ConnectSdk } from './sdk-side.ts';
import {
  createTestSession,
  INITIALIZE,
  ODD_INITIALIZE,
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

  test('in the modern era says how long it is good, and for whom', () => {
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

  test('that changes is told to a legacy client once it is initialised', async () => {
    const { say, channel, calls } = createTestSession();
    calls.changeList();
    say(INITIALIZE);
    await channel.next(1);
    calls.changeList();
    expect(channel.take()).toEqual([]);
    say(notification('notifications/initialized'));
    calls.changeList();
    expect(channel.take()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
  });
});

describe('limits', () => {
  test('the 1,025th call in flight is told to come back', async () => {
    const { say, channel, calls } = createTestSession();
    for (let id = 0; id < 1024; id++) say(request(id, 'tools/call', { name: 'wait' }));
    say(request('more', 'tools/call', { name: 'wait' }));
    say(request('list', 'tools/list'));
    say(request('other', 'resources/list'));
    expect(channel.take()).toMatchObject([
      {
        id: 'more',
        result: {
          isError: true,
          structuredContent: { error_class: 'over_capacity', tool: 'wait' },
          _meta: { 'exai/retry_after_ms': 1000 },
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

  test('messages that wait for the SDK are bounded, in number and in size', async () => {
    let load: (connect: ConnectSdk) => void = () => undefined;
    const loadSdk = () => new Promise<ConnectSdk>((resolve) => (load = resolve));
    const { say, channel } = createTestSession({ loadSdk });
    say(ODD_INITIALIZE);
    for (let id = 1; id <= 1024; id++) say(request(id, 'ping'));
    say(request('late', 'ping'));
    say(notification('notifications/late'));
    say([]);
    expect(channel.take()).toMatchObject([
      { id: 'late', error: { code: -31069 } },
      { id: null, error: { code: -32600 } },
    ]);
    load(connectSdk);
    expect(await channel.next(1025)).toHaveLength(1025);

    const big = createTestSession({ loadSdk });
    big.say(ODD_INITIALIZE);
    const padding = 'x'.repeat(17 * 1024 * 1024);
    big.say(request(1, 'tools/call', { name: 'echo', arguments: { padding } }));
    big.say(request(2, 'tools/call', { name: 'echo', arguments: { padding } }));
    expect(big.channel.take()).toMatchObject([{ id: 2, error: { code: -31069 } }]);
    big.session.onClose();
  });
});

test('an ordinary beginning needs no SDK, which is told of it when it is needed', async () => {
  let loads = 0;
  const loadSdk = async () => {
    loads += 1;
    return connectSdk;
  };
  const { say, channel, calls } = createTestSession({ loadSdk });
  say(INITIALIZE);
  say(notification('notifications/initialized'));
  say(request(1, 'ping'));
  expect(channel.take()).toMatchObject([
    { id: 0, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'exai' } } },
    { id: 1, result: {} },
  ]);
  calls.changeList();
  expect(channel.take()).toHaveLength(1);
  expect(loads).toBe(0);
  say(request(2, 'resources/list'));
  expect(await channel.next(1)).toEqual([rpcError(2, -32601)]);
  expect(loads).toBe(1);
});

describe('while the SDK loads', () => {
  test('messages keep their order', async () => {
    let load: (connect: ConnectSdk) => void = () => undefined;
    const loadSdk = () => new Promise<ConnectSdk>((resolve) => (load = resolve));
    const { say, channel, calls } = createTestSession({ loadSdk });
    say(ODD_INITIALIZE);
    say(request(1, 'tools/call', { name: 'wait' }));
    say(notification('notifications/cancelled', { requestId: 1 }));
    say(request(2, 'tools/call', { name: 'echo' }));
    say(notification('notifications/initialized'));
    calls.changeList();
    expect([channel.sent, calls.started]).toEqual([[], []]);
    load(connectSdk);
    const answers = (await channel.next(2)) as { id: number }[];
    expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(calls.started[0]?.cancelledWith).toBe('nothing');
    calls.changeList();
    expect(channel.take()).toHaveLength(1);
  });

  test('a client may leave, and nothing is done for it any more', async () => {
    let load: (connect: ConnectSdk) => void = () => undefined;
    const loadSdk = () => new Promise<ConnectSdk>((resolve) => (load = resolve));
    const { say, session, channel, calls } = createTestSession({ loadSdk });
    say(ODD_INITIALIZE);
    say(request(1, 'tools/call', { name: 'echo' }));
    const drained = session.drain();
    session.onClose();
    await drained;
    load(() => {
      throw new Error('connected for nobody');
    });
    await Promise.resolve();
    expect([channel.sent, calls.started, calls.listeners]).toEqual([[], [], 0]);
  });

  test('one that cannot be loaded fails what needs it, and nothing else', async () => {
    const loadSdk = () => Promise.reject(new Error('no such chunk'));
    const { say, channel, log } = createTestSession({ loadSdk });
    say(ODD_INITIALIZE);
    say(request(1, 'tools/call', { name: 'echo' }));
    say(request(2, 'resources/list'));
    expect(await channel.next(3)).toEqual([
      rpcError(0, -32603),
      expect.objectContaining({ id: 1 }),
      rpcError(2, -32603),
    ]);
    expect(log.lines).toMatchObject([
      { event: 'mcp_sdk_unavailable' },
      { event: 'mcp_sdk_unavailable' },
    ]);
  });

  test('a client that sends no more is answered first', async () => {
    const { say, session, channel } = createTestSession();
    say(ODD_INITIALIZE);
    session.onEnd();
    expect(channel.closed).toEqual([]);
    expect(await channel.next(1)).toMatchObject([
      { id: 0, result: { protocolVersion: '2025-11-25' } },
    ]);
    await expect.poll(() => channel.closed).toEqual([{ code: 1000, reason: '' }]);
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
          structuredContent: { error_class: 'over_capacity' },
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
  calls.list = () => {
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
  });
  broken.say(request(1, 'tools/call', { name: 'echo' }));
  expect(await broken.channel.next(1)).toMatchObject([{ id: 1, result: { isError: true } }]);
});
