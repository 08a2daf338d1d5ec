import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDaemonLine, readRpcLine } from './rpc-lines.ts';

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { is: 'request', key: '1', method: 'ping' }],
  ['{"method":"ping","id":"1"}', { is: 'request', key: '"1"', method: 'ping' }],
  ['{"method":"notifications/x","params":{}}', { is: 'notification', method: 'notifications/x' }],
  ['{"id":1,"result":{}}', { is: 'answer', key: '1' }],
  ['{"id":null,"error":{}}', { is: 'answer', key: undefined }],
  ['{"id":{},"method":"ping"}', { is: 'other' }],
  ['{"id":1}', { is: 'request', key: '1', method: '' }],
  ['[{"id":1,"method":"ping"}]', { is: 'other' }],
  ['null', { is: 'other' }],
  ['{', { is: 'other' }],
  ['{"id":78,"method":5}', { is: 'request', key: '78', method: '' }],
  [`{"id":"${'x'.repeat(1025)}","method":"ping"}`, { is: 'other' }],
  ['{"id":9007199254740993,"method":"ping"}', { is: 'other' }],
])('%s is told for what it is', (line, expected) => {
  expect(readRpcLine(line)).toMatchObject(expected);
  expect(readDaemonLine(line)).toMatchObject(expected);
});

test('the short way to the id of an answer gives what parsing gives', () => {
  const id = fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme', maxLength: 2000 }),
    fc.constantFrom('","jsonrpc":"2.0","id":7}', '}', '\\"', 'a"b', 0, -0),
  );
  const body = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>({ jsonrpc: '2.0', id: 5 }, ',"jsonrpc":"2.0","id":5}', [
      { a: 1, jsonrpc: '2.0', id: 6 },
    ]),
  );
  fc.assert(
    fc.property(id, body, fc.constantFrom('result', 'error'), (given, value, kind) => {
      const ours = JSON.stringify({ jsonrpc: '2.0', id: given, [kind]: value });
      const theirs = JSON.stringify({ [kind]: value, jsonrpc: '2.0', id: given });
      const bare = JSON.stringify({ [kind]: value, id: given });
      for (const line of [ours, theirs, bare])
        expect(readDaemonLine(line)).toEqual(readRpcLine(line));
    }),
  );
});

test('a request of the daemon is not mistaken for an answer', () => {
  const line = '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"result":1}}';
  expect(readDaemonLine(line)).toMatchObject({ is: 'request', key: '1' });
  const odd = '{"result":{},"method":"x","jsonrpc":"2.0","params":{},"id":3}';
  expect(readDaemonLine(odd)).toEqual(readRpcLine(odd));
});

test('what the daemon does not read is not waited for: it answers without an id', () => {
  const deep = `{"id":1,"method":"ping","params":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  expect(readRpcLine(deep)).toEqual({ is: 'other' });
});
