import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from './read-message.ts';

test('a request, a notification and a response are distinguished', () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1}}';
  expect(readMessage(request)).toEqual({
    is: 'request',
    id: 1,
    method: 'ping',
    params: { a: 1 },
  });
  expect(readMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toEqual({
    is: 'notification',
    method: 'notifications/initialized',
    params: undefined,
  });
  const message = { jsonrpc: '2.0', id: 'a', result: {} };
  expect(readMessage(JSON.stringify(message))).toEqual({ is: 'response', message });
});

test('whatever the text, the reader returns a message or an error reply of JSON-RPC', () => {
  const near = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.jsonValue(),
      method: fc.oneof(fc.string(), fc.jsonValue()),
      params: fc.jsonValue(),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    near.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(text, (given) => {
      const found = readMessage(given);
      if (found.is !== 'unreadable' || found.reply === undefined) return;
      expect(JSON.parse(found.reply)).toMatchObject({ jsonrpc: '2.0', error: {} });
    }),
  );
});
