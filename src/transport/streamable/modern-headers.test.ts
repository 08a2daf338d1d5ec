import { expect, test } from 'vitest';
import type { RpcRequest } from '#mcp/read-message.ts';
import { decodeHeaderValue } from '#mcp/request-headers.ts';
import { checkParamHeaders, checkStandardHeaders } from './headers.ts';

const request = (method: string, params: Record<string, unknown> = {}): RpcRequest => ({
  is: 'request',
  id: 1,
  method,
  params,
});

test.each([
  ['plain', 'plain'],
  ['=?base64?SGVsbG8=?=', 'Hello'],
  ['=?base64?w6TDtsO8?=', 'äöü'],
  ['=?base64??=', ''],
  ['SGVsbG8=', 'SGVsbG8='],
  ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
  ['=?base64?SGVsbG8?=', undefined],
  ['=?base64?SGVs!!!bG8=?=', undefined],
  ['=?base64?/w==?=', undefined],
  ['=?base64?=', undefined],
])('the header value %j stands for %j', (value, meaning) => {
  expect(decodeHeaderValue(value)).toBe(meaning);
});

test.each([
  [request('tools/list'), { 'mcp-method': 'tools/list' }],
  [request('tools/call', { name: 'a' }), { 'mcp-method': 'tools/call', 'mcp-name': 'a' }],
  [
    request('tools/call', { name: 'ä' }),
    { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?w6Q=?=' },
  ],
  [
    request('resources/read', { uri: 'x://y' }),
    { 'mcp-method': 'resources/read', 'mcp-name': 'x://y' },
  ],
  [request('tasks/get', { taskId: 'j' }), { 'mcp-method': 'tasks/get', 'mcp-name': 'j' }],
  [request('tasks/cancel', { taskId: 7 }), { 'mcp-method': 'tasks/cancel' }],
  [request('tools/call', {}), { 'mcp-method': 'tools/call' }],
  [request('constructor'), { 'mcp-method': 'constructor' }],
])('%j goes with its headers', (message, headers) => {
  expect(checkStandardHeaders(message, headers)).toBeUndefined();
});

test.each([
  [request('tools/list'), {}, 'Mcp-Method is missing'],
  [request('tools/list'), { 'mcp-method': 'TOOLS/LIST' }, 'Mcp-Method and method differ'],
  [request('tools/call', { name: 'a' }), { 'mcp-method': 'tools/call' }, 'Mcp-Name is missing'],
  [request('tools/call', { name: 'a' }), { 'mcp-method': 'tools/call', 'mcp-name': 'A' }, 'differ'],
  [
    request('prompts/get', { name: 'a' }),
    { 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?a?=' },
    'differ',
  ],
  [request('tasks/get', { taskId: 'j' }), { 'mcp-method': 'tasks/get' }, 'Mcp-Name is missing'],
  [
    request('tasks/update', { taskId: 'j' }),
    { 'mcp-method': 'tasks/update', 'mcp-name': 'k' },
    'Mcp-Name and params.taskId differ',
  ],
  [
    request('tasks/cancel', { taskId: 'j' }),
    { 'mcp-method': 'tasks/cancel', 'mcp-name': 'k' },
    'differ',
  ],
])('%j does not go with %j', (message, headers, words) => {
  expect(checkStandardHeaders(message, headers)).toMatchObject({
    status: 400,
    code: -32_020,
    message: expect.stringContaining(words) as string,
  });
});

const tool = {
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      size: { type: 'integer', 'x-mcp-header': 'Size' },
      where: {
        type: 'object',
        properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } },
      },
      plain: { type: 'string' },
    },
  },
};

test.each([
  [{ plain: 'x' }, {}],
  [{ region: null }, {}],
  [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
  [{ region: 'ö' }, { 'mcp-param-region': '=?base64?w7Y=?=' }],
  [{ size: 42 }, { 'mcp-param-size': '42.0' }],
  [{ where: { dry: true } }, { 'mcp-param-dry-run': 'true' }],
  [{ region: { an: 'object' } }, {}],
  [undefined, {}],
  [[], {}],
])('arguments %j go with their headers', (args, headers) => {
  expect(checkParamHeaders(tool, args, headers)).toBeUndefined();
});

test.each([
  [{ region: 'eu' }, {}, 'mcp-param-region is missing'],
  [{ region: 'eu' }, { 'mcp-param-region': 'us' }, 'differ'],
  [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }, 'not valid base64'],
  [{ size: 42 }, { 'mcp-param-size': '0x2a' }, 'differ'],
  [{ where: { dry: true } }, { 'mcp-param-dry-run': 'TRUE' }, 'differ'],
])('arguments %j do not go with %j', (args, headers, words) => {
  expect(checkParamHeaders(tool, args, headers)).toMatchObject({
    status: 400,
    code: -32_020,
    message: expect.stringContaining(words) as string,
  });
});
