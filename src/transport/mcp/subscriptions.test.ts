import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  createTestSession,
  INITIALIZE,
  MODERN_META,
  notification,
  request,
  rpcError,
  type TestSession,
} from './session.fixture.ts';

const ID = 'io.modelcontextprotocol/subscriptionId';

function listen(test: TestSession, id: unknown, notifications: unknown): void {
  test.say(request(id, 'subscriptions/listen', { notifications, _meta: MODERN_META }));
}

describe('a modern subscription', () => {
  verifies(
    'mcp:subscriptions',
    'is acknowledged first, then notified of what it subscribed to and nothing else',
    () => {
      const session = createTestSession();
      const { channel, calls } = session;
      const resourceSubscriptions = ['test://a', 'test://a', 'secret://b'];
      listen(session, 's1', {
        promptsListChanged: true,
        toolsListChanged: false,
        resourceSubscriptions,
      });
      calls.change({ list: 'tools' });
      calls.change({ list: 'prompts' });
      calls.change({ uri: 'test://a' });
      calls.change({ uri: 'secret://b' });
      expect(channel.take()).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: {
            notifications: { promptsListChanged: true, resourceSubscriptions: ['test://a'] },
            _meta: { [ID]: 's1' },
          },
        },
        {
          jsonrpc: '2.0',
          method: 'notifications/prompts/list_changed',
          params: { _meta: { [ID]: 's1' } },
        },
        {
          jsonrpc: '2.0',
          method: 'notifications/resources/updated',
          params: { uri: 'test://a', _meta: { [ID]: 's1' } },
        },
      ]);
    },
  );

  test('ends without a word when the client cancels it', () => {
    const session = createTestSession();
    const { channel, calls, say } = session;
    listen(session, 's1', { toolsListChanged: true });
    listen(session, 's2', { toolsListChanged: true });
    channel.take();
    say(notification('notifications/cancelled', { requestId: 's1' }));
    calls.change();
    expect(channel.take()).toMatchObject([{ params: { _meta: { [ID]: 's2' } } }]);
    listen(session, 's1', {});
    expect(channel.take()).toHaveLength(1);
  });

  for (const [what, notifications] of [
    ['no filter', undefined],
    ['a filter that is a string', 'all'],
    ['a list that is neither wished nor not', { toolsListChanged: 'yes' }],
    ['addresses that are none', { resourceSubscriptions: [1] }],
  ] as const) {
    test(`with ${what} is refused`, () => {
      const session = createTestSession();
      listen(session, 1, notifications);
      expect(session.channel.take()).toEqual([rpcError(1, -32602)]);
      expect(session.calls.listeners).toBe(0);
    });
  }

  test('may be for ten thousand addresses of one client, and not for more', () => {
    const session = createTestSession();
    const uris = Array.from({ length: 10_000 }, (_, n) => `test://${n}`);
    listen(session, 1, { resourceSubscriptions: uris });
    listen(session, 2, { resourceSubscriptions: ['test://one-more'] });
    session.say(notification('notifications/cancelled', { requestId: 1 }));
    listen(session, 3, { resourceSubscriptions: ['test://one-more'] });
    expect(session.channel.take()).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      rpcError(2, -32602) as object,
      { method: 'notifications/subscriptions/acknowledged' },
    ]);
  });
});

describe('a legacy client', () => {
  test('is notified of every list, and of the resources it subscribed to', () => {
    const { say, channel, calls } = createTestSession();
    say(INITIALIZE);
    say(notification('notifications/initialized'));
    say(request(1, 'resources/subscribe', { uri: 'test://a' }));
    channel.take();
    calls.change({ uri: 'test://a' });
    calls.change({ uri: 'test://b' });
    calls.change({ list: 'resources' });
    say(request(2, 'resources/unsubscribe', { uri: 'test://a' }));
    calls.change({ uri: 'test://a' });
    expect(channel.take()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'test://a' } },
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
  });

  test('gets nothing of another principal, even if it watches the URI', () => {
    const { say, channel, calls } = createTestSession();
    say(INITIALIZE);
    say(notification('notifications/initialized'));
    say(request(1, 'resources/subscribe', { uri: 'test://a' }));
    channel.take();
    calls.change({ uri: 'test://a', principal: 'another' });
    expect(channel.take()).toEqual([]);
    calls.change({ uri: 'test://a', principal: 'local' });
    expect(channel.take()).toHaveLength(1);
  });

  test('cannot subscribe to what it may not read', () => {
    const { say, channel } = createTestSession();
    say(request(1, 'resources/subscribe', { uri: 'secret://a' }));
    say(request(2, 'resources/subscribe'));
    say(request(3, 'resources/unsubscribe', { uri: 7 }));
    expect(channel.take()).toEqual([rpcError(1, -32002), rpcError(2, -32602), rpcError(3, -32602)]);
  });
});
