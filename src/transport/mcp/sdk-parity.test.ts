/** Parity with the SDK server: the same messages to both give the same answers. */
import {
  Server,
  type JSONRPCMessage,
  type ServerCapabilities,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  CALLER,
  createTestCalls,
  createTestSession,
  INITIALIZE,
  MODERN_META,
  notification,
  request,
  SERVER_META,
} from './session.fixture.ts';
import { createServerInfo } from './server-info.ts';

const CAPABILITIES = createServerInfo('', '').capabilities as ServerCapabilities;
const CACHED = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
] as const;
const HINT = { ttlMs: 60_000, cacheScope: 'private' } as const;

/** All that the SDK does between a message and its answer is promises, and few of them. */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

async function plainSdk(script: readonly unknown[]): Promise<unknown[]> {
  const sent: unknown[] = [];
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => Promise.resolve(void sent.push(JSON.parse(JSON.stringify(message)))),
  };
  const { tools } = createTestCalls().list(CALLER);
  const factory = (): Server => {
    const server = new Server(SERVER_META['io.modelcontextprotocol/serverInfo'], {
      capabilities: CAPABILITIES,
      instructions: 'Ask it anything.',
      cacheHints: Object.fromEntries(CACHED.map((method) => [method, HINT])),
    });
    server.setRequestHandler('resources/list', () => ({ resources: [] }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
    server.setRequestHandler('completion/complete', ({ params: { argument } }) => ({
      completion: {
        values: [`${argument.value}-one`, `${argument.value}-two`],
        total: 2,
        hasMore: false,
      },
    }));
    let count = 0;
    server.setRequestHandler('tools/list', () => ({ tools: JSON.parse(JSON.stringify(tools)) }));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: content = {} } }) => ({
      content: [{ type: 'text', text: JSON.stringify(content) }],
      ...withEnvelope({
        status: 'success',
        tool: name,
        attempt: 0,
        req_id: `req_${++count}`,
        content,
      }),
    }));
    return server;
  };
  const handle = serveStdio(factory, { transport });
  for (const message of script) {
    transport.onmessage?.(JSON.parse(JSON.stringify(message)) as JSONRPCMessage);
    await untilQuiet();
  }
  await handle.close();
  return sent;
}

async function ours(script: readonly unknown[]): Promise<unknown[]> {
  const { say, channel, session } = createTestSession();
  for (const message of script) {
    say(message);
    await untilQuiet();
  }
  session.onEnd();
  await untilQuiet();
  return channel.take();
}

const modern = (id: unknown, method: string, params: object = {}, meta: object = {}) =>
  request(id, method, { ...params, _meta: { ...MODERN_META, ...meta } });
const listen = (id: unknown) =>
  modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
const UNKNOWN_VERSION = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
const NO_CAPABILITIES = { 'io.modelcontextprotocol/clientCapabilities': undefined };
const WRONG_CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 7 } };
const WRONG_LEVEL = { 'io.modelcontextprotocol/logLevel': 'loud' };
const COMPLETION = {
  ref: { type: 'ref/prompt', name: 'any' },
  argument: { name: 'topic', value: 'a' },
};
const echo = { name: 'echo', arguments: { a: [1, 'ü', null] } };

const SCRIPTS: Record<string, readonly unknown[]> = {
  'a legacy client': [
    INITIALIZE,
    notification('notifications/initialized'),
    request(1, 'ping'),
    request(2, 'tools/list'),
    request('three', 'tools/call', echo),
    request(4, 'logging/setLevel', { level: 'info' }),
    request(5, 'no/such/method'),
    request(6, 'server/discover'),
    request(7, 'resources/list', {}),
    request(8, 'resources/templates/list'),
    request(9, 'prompts/list', {}),
    request(10, 'completion/complete', COMPLETION),
    request(12, 'subscriptions/listen', { notifications: {} }),
    notification('notifications/roots/list_changed'),
    notification('no/such/notification', { a: 1 }),
  ],
  'a legacy client that skips the handshake': [
    request(1, 'tools/list'),
    request(2, 'tools/call', echo),
    INITIALIZE,
    request(3, 'ping'),
  ],
  'a legacy client that names the modern era later': [
    request(1, 'ping'),
    modern(2, 'tools/call', echo),
    modern(3, 'tools/list', {}, UNKNOWN_VERSION),
    listen(4),
    modern(5, 'server/discover'),
  ],
  'a modern client': [
    modern(1, 'server/discover'),
    modern(2, 'tools/list'),
    modern(3, 'tools/call', echo),
    modern(4, 'ping'),
    modern(5, 'no/such/method'),
    modern(6, 'logging/setLevel', { level: 'info' }),
    modern(7, 'resources/list'),
    modern(8, 'resources/templates/list'),
    modern(9, 'prompts/list'),
    modern(10, 'completion/complete', COMPLETION),
    modern(11, 'subscriptions/listen', {}),
    modern(12, 'resources/subscribe', { uri: 'test://a' }),
    listen('sub'),
    INITIALIZE,
  ],
  'a modern client that never asks what there is': [
    modern(1, 'tools/call', echo),
    listen('sub'),
    INITIALIZE,
    modern(2, 'server/discover'),
  ],
  'a modern client that forgets to say so': [
    modern(1, 'tools/list'),
    request(2, 'tools/list'),
    request(3, 'tools/call', echo),
    request(4, 'ping'),
    request(5, 'resources/list'),
    listen('sub'),
    notification('notifications/cancelled', { requestId: 'sub' }),
    request(6, 'initialize'),
  ],
  'a modern client that begins with a ping': [
    modern(1, 'ping'),
    modern(2, 'tools/list'),
    INITIALIZE,
  ],
  'a modern client that begins with a notification': [
    notification('notifications/whatever', { _meta: MODERN_META }),
    request(1, 'tools/list'),
    modern(2, 'tools/list'),
  ],
  'a modern client with an odd envelope': [
    modern(1, 'tools/list'),
    modern(2, 'tools/call', echo, WRONG_CLIENT),
    modern(3, 'tools/list', {}, WRONG_LEVEL),
    modern(4, 'tools/list'),
  ],
  'a client whose first words are odd': [
    modern(1, 'tools/list', {}, UNKNOWN_VERSION),
    modern(2, 'tools/call', echo, NO_CAPABILITIES),
    modern(3, 'ping', {}, WRONG_CLIENT),
    modern(4, 'tools/call', echo, WRONG_LEVEL),
    modern(5, 'initialize', {}, UNKNOWN_VERSION),
    request(6, 'tools/list'),
  ],
  'a client that asks what there is and stays legacy': [
    modern(1, 'server/discover'),
    INITIALIZE,
    request(2, 'tools/list'),
    request(3, 'ping'),
    listen(4),
  ],
  'a client that asks what there is and then just calls': [
    modern(1, 'server/discover'),
    request(2, 'tools/call', echo),
    INITIALIZE,
    listen(4),
    modern(5, 'server/discover'),
  ],
};

/** Of an error its code and what a program reads; how it is put is our own. */
function withoutWords(message: unknown): unknown {
  const { error, ...rest } = message as { error?: { code: number; data?: unknown } };
  if (!error) return message;
  const isVersion = error.code === -32022;
  return { ...rest, code: error.code, ...(isVersion && { data: error.data }) };
}

for (const [who, script] of Object.entries(SCRIPTS)) {
  verifies('mcp:errors', `${who} is answered as the SDK would`, async () => {
    const [expected, given] = await Promise.all([plainSdk(script), ours(script)]);
    expect(given.map(withoutWords)).toEqual(expected.map(withoutWords));
  });
}

verifies(
  'mcp:errors',
  'an unknown revision is refused in the middle of a connection too, with those we know',
  async () => {
    const answers = await ours([
      modern(1, 'tools/list'),
      modern(2, 'tools/call', echo, UNKNOWN_VERSION),
      modern(3, 'tools/list', {}, UNKNOWN_VERSION),
    ]);
    const refused = {
      code: -32022,
      message: 'Unsupported protocol version: 2099-01-01',
      data: { supported: ['2026-07-28'], requested: '2099-01-01' },
    };
    expect(answers.slice(1)).toEqual([
      { jsonrpc: '2.0', id: 2, error: refused },
      { jsonrpc: '2.0', id: 3, error: refused },
    ]);
  },
);
