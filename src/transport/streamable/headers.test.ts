import { expect, test } from 'vitest';
import { readMessage, type RpcMessage } from '#mcp/read-message.ts';
import { classifyEra } from './headers.ts';

const MODERN = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

const claim = (version: unknown) => ({
  _meta: { [VERSION_KEY]: version, [CAPABILITIES_KEY]: {} },
});

function message(method: string, params: unknown, id?: number): RpcMessage {
  const read = readMessage(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  if (read.is === 'unreadable') throw new Error('not a message');
  return read;
}

const header = (version: string) => ({ 'mcp-protocol-version': version });
const codeOf = (verdict: ReturnType<typeof classifyEra>) =>
  typeof verdict === 'object' ? verdict.code : verdict;

test.each([
  ['no claim and no header', message('tools/list', {}, 1), {}, 'legacy'],
  ['an older header', message('tools/list', {}, 1), header('2025-06-18'), 'legacy'],
  ['initialize', message('initialize', { protocolVersion: MODERN }, 1), {}, 'legacy'],
  ['a notification', message('notifications/initialized', {}), {}, 'legacy'],
  ['a claim with its header', message('tools/list', claim(MODERN), 1), header(MODERN), 'modern'],
  ['initialize with a claim', message('initialize', claim(MODERN), 1), header(MODERN), 'modern'],
  ['a notification with the header', message('notifications/x', {}), header(MODERN), 'modern'],
  ['a notification with a claim alone', message('notifications/x', claim(MODERN)), {}, 'modern'],
  [
    'an unknown version in both',
    message('x', claim('2099-01-01'), 1),
    header('2099-01-01'),
    'unsupported',
  ],
  [
    'an older version in both',
    message('x', claim('2025-11-25'), 1),
    header('2025-11-25'),
    'unsupported',
  ],
  ['a claim that is no text', message('x', claim(7), 1), header(MODERN), 'modern'],
])('%s is told apart', (_, given, headers, verdict) => {
  expect(classifyEra(given, headers)).toBe(verdict);
});

test.each([
  ['no header', message('x', claim(MODERN), 1), {}, -32_020],
  ['another header', message('x', claim(MODERN), 1), header('2025-11-25'), -32_020],
  ['another claim', message('x', claim('v999'), 1), header(MODERN), -32_020],
  ['a notification of two minds', message('x', claim('v999')), header(MODERN), -32_020],
  ['initialize with the header', message('initialize', {}, 1), header(MODERN), -32_020],
  ['no _meta', message('x', {}, 1), header(MODERN), -32_602],
  ['no params', message('x', undefined, 1), header(MODERN), -32_602],
  [
    '_meta without a version',
    message('x', { _meta: { [CAPABILITIES_KEY]: {} } }, 1),
    header(MODERN),
    -32_602,
  ],
])('%s is refused', (_, given, headers, code) => {
  expect(codeOf(classifyEra(given, headers))).toBe(code);
});

test('what is missing is named, and both sides of a difference are', () => {
  expect(classifyEra(message('x', { _meta: {} }, 1), header(MODERN))).toMatchObject({
    status: 400,
    data: { missing: [VERSION_KEY, CAPABILITIES_KEY] },
  });
  expect(classifyEra(message('x', claim(MODERN), 1), header('2025-11-25'))).toMatchObject({
    status: 400,
    data: { header: '2025-11-25', body: MODERN },
  });
});

test('a property of every object is not a protocol field', () => {
  const read = readMessage(
    '{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"__proto__":{"a":1}}}}',
  );
  expect(read.is === 'unreadable' ? read : classifyEra(read, {})).toBe('legacy');
});
