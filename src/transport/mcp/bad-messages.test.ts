import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createTestSession, request, rpcError, success } from './session.fixture.ts';

describe('a bad message', () => {
  for (const [what, text, id, code] of [
    ['no JSON', '{"jsonrpc":', null, -32700],
    ['an empty one', '', null, -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
    ['a bare text', '"ping"', null, -32600],
    ['null', 'null', null, -32600],
    ['no version', '{"id":1,"method":"ping"}', 1, -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1, -32600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":"a","method":7}', 'a', -32600],
    ['null as id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['true as id', '{"jsonrpc":"2.0","id":true,"method":"ping"}', null, -32600],
    ['an infinite id', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', null, -32600],
    ['a huge id', `{"jsonrpc":"2.0","id":"${'x'.repeat(1025)}","method":"ping"}`, null, -32600],
  ] as const) {
    verifies('mcp:errors', `(${what}) has one answer with its kind`, () => {
      const { session, channel } = createTestSession();
      session.onMessage(text);
      expect(channel.take()).toEqual([rpcError(id, code)]);
    });
  }

  test('that is a notification has no answer', () => {
    const { session, channel } = createTestSession();
    session.onMessage('{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}');
    session.onMessage('{"jsonrpc":"2.0","id":7,"result":{}}');
    expect(channel.sent).toEqual([]);
  });

  test('never quotes what it could not read', () => {
    const { session, channel } = createTestSession();
    session.onMessage('{"token": sk-secret}');
    expect(channel.sent[0]).not.toContain('secret');
  });

  test('in its _meta is answered as one, and an id may be a fraction', () => {
    const { say, channel } = createTestSession();
    say(request(1.5, 'tools/call', { name: 'echo', _meta: { progressToken: [] } }));
    say(request(2, 'tools/call', { name: 'echo', _meta: 'x' }));
    expect(channel.take()).toEqual([rpcError(1.5, -32602), rpcError(2, -32602)]);
  });

  test('with an id that is in flight is refused, and the first is answered', async () => {
    const { say, channel, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(request(1, 'tools/call', { name: 'echo' }));
    say(request(1, 'ping'));
    expect(channel.take()).toEqual([rpcError(1, -32600), rpcError(1, -32600)]);
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    expect(await channel.next(1)).toMatchObject([{ id: 1, result: {} }]);
    expect(calls.started).toHaveLength(1);
  });
});
