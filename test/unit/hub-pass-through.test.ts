import { expect, test } from 'vitest';
import type { Change } from '#core/calls/calls.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { OWNER, settled } from '../../src/calls/calls.fixture.ts';
import { createTestHub, lastRequest, scriptServer, type RpcMessage } from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const CAPABILITIES = {
  tools: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
};
const PROMPT = {
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  arguments: [{ name: 'who', description: 'A name.', required: true }],
  _meta: { own: 1 },
};
const NOTE = { uri: 'file:///notes/1', name: 'a note', mimeType: 'text/plain', size: 5 };
const TEMPLATE = { uriTemplate: 'file:///notes/{id}', name: 'notes', title: 'Notes' };

function notesServer(about: { readonly resources?: readonly JsonObject[] } = {}) {
  const lists: Record<string, JsonObject> = {
    'prompts/list': { prompts: [PROMPT] },
    'resources/list': { resources: [...(about.resources ?? [NOTE])] },
    'resources/templates/list': { resourceTemplates: [TEMPLATE] },
    'prompts/get': {
      description: 'One.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello', annotations: {} } }],
    },
    'completion/complete': { completion: { values: ['Ada', 'Alan'], total: 2 } },
    'resources/subscribe': {},
  };
  const answers = Object.entries(lists).map(([method, result]) => [
    method,
    (message: RpcMessage, connection: { send: (message: object) => void }) =>
      connection.send({ id: message.id, result }),
  ]);
  return scriptServer({
    capabilities: CAPABILITIES,
    tools: [{ name: 'find', inputSchema: { type: 'object' } }],
    handlers: {
      ...(Object.fromEntries(answers) as object),
      'resources/read': ({ id, params }, { send }) => {
        const uri = params?.['uri'];
        if (typeof uri !== 'string') throw new Error('without an address');
        if (uri === 'file:///notes/404') {
          return send({ id, error: { code: -32002, message: 'No such note' } });
        }
        send({ id, result: { contents: [{ uri, text: `at ${uri}`, _meta: { own: 2 } }] } });
      },
      'tools/call': ({ id }, { send }) => {
        const content = [{ type: 'resource_link', uri: 'file:///hidden/7', name: 'hidden' }];
        send({ id, result: { content } });
      },
    },
  });
}

async function connected(names: readonly string[], stored?: Map<string, Json>) {
  const servers = Object.fromEntries(names.map((name) => [name, notesServer()]));
  const hub = await createTestHub(servers, { ...(stored && { stored }) });
  hub.clock.advance(0);
  await settled();
  const list = (kind: 'prompts' | 'resources' | 'templates', caller = OWNER) =>
    JSON.parse(hub.calls.page(caller, kind)?.json ?? '[]') as JsonObject[];
  return { ...hub, list, servers };
}

verifies(
  'hub:content',
  'prompts and resources are listed with names that do not collide',
  async () => {
    const { list } = await connected(['one', 'two']);
    expect(list('prompts')).toEqual([
      { ...PROMPT, name: 'mcp__one__greet' },
      { ...PROMPT, name: 'mcp__two__greet' },
    ]);
    expect(list('resources')).toEqual([
      { ...NOTE, uri: 'mcp://one/file:///notes/1' },
      { ...NOTE, uri: 'mcp://two/file:///notes/1' },
    ]);
    expect(list('templates')).toEqual([
      { ...TEMPLATE, uriTemplate: 'mcp://one/file:///notes/{id}' },
      { ...TEMPLATE, uriTemplate: 'mcp://two/file:///notes/{id}' },
    ]);
  },
);

test('a prompt is got as its server gives it, and recorded under its own name', async () => {
  const { answer, servers, store } = await connected(['one']);
  const { envelope } = await answer('mcp__one__greet', { who: 'Ada' }, { kind: 'prompt' });
  expect(envelope).toMatchObject({
    tool: 'prompt:mcp__one__greet',
    content: { description: 'One.', messages: [{ content: { text: 'Hello', annotations: {} } }] },
  });
  const [connection] = servers['one']?.connections ?? [];
  expect(connection && lastRequest(connection, 'prompts/get').params).toMatchObject({
    name: 'greet',
    arguments: { who: 'Ada' },
  });
  expect(store.noted).toMatchObject([{ tool: 'prompt:mcp__one__greet', status: 'success' }]);
});

test('a resource is read at the address of its server, listed, templated or neither', async () => {
  const { answer } = await connected(['one', 'two']);
  for (const own of ['file:///notes/1', 'file:///notes/2', 'file:///a/b?c#d']) {
    const { envelope } = await answer(`mcp://two/${own}`, {}, { kind: 'resource' });
    expect(envelope.content).toEqual({
      contents: [{ uri: own, text: `at ${own}`, _meta: { own: 2 } }],
    });
  }
  const missing = await answer('mcp://one/file:///notes/404', {}, { kind: 'resource' });
  expect(missing.error).toMatchObject({ class: 'not_found' });
});

test('a resource that a result names is found by the address of its server', async () => {
  const { answer } = await connected(['one', 'two']);
  const before = await answer('file:///hidden/7', {}, { kind: 'resource' });
  expect(before.error).toMatchObject({ class: 'not_found' });
  await answer('mcp__two__find');
  const { envelope } = await answer('file:///hidden/7', {}, { kind: 'resource' });
  expect(envelope.content).toMatchObject({ contents: [{ text: 'at file:///hidden/7' }] });
  const bert = { ...OWNER, principal: 'bert' };
  const other = await answer('file:///hidden/7', {}, { kind: 'resource', caller: bert });
  expect(other.error).toMatchObject({ class: 'not_found' });
});

verifies(
  'hub:content-access',
  'scopes for the tools of a server are those for its content',
  async () => {
    const { list, answer } = await connected(['one', 'two']);
    const caller = { principal: 'bert', scopes: ['mcp__one__*'], roots: [] };
    expect(list('prompts', caller)).toMatchObject([{ name: 'mcp__one__greet' }]);
    expect(list('resources', caller)).toHaveLength(1);
    const denied = await answer('mcp://two/file:///notes/1', {}, { kind: 'resource', caller });
    expect(denied.error).toMatchObject({ class: 'permission' });
  },
);

test('arguments and variables are completed by the server', async () => {
  const { calls, servers } = await connected(['one']);
  const args = {};
  const of = { prompt: 'mcp__one__greet' };
  expect(await calls.complete(OWNER, { of, argument: 'who', value: 'A', args })).toEqual([
    'Ada',
    'Alan',
  ]);
  const template = { template: 'mcp://one/file:///notes/{id}' };
  await calls.complete(OWNER, { of: template, argument: 'id', value: '1', args });
  const [connection] = servers['one']?.connections ?? [];
  expect(connection && lastRequest(connection, 'completion/complete').params).toMatchObject({
    ref: { type: 'ref/resource', uri: 'file:///notes/{id}' },
    argument: { name: 'id', value: '1' },
  });
});

test('subscribers hear of an update under the address that is listed', async () => {
  const { calls, servers } = await connected(['one']);
  const changes: Change[] = [];
  calls.onChange((change) => changes.push(change));
  expect(calls.canWatch(OWNER, 'mcp://one/file:///notes/1')).toBe(true);
  await settled();
  const [connection] = servers['one']?.connections ?? [];
  expect(connection && lastRequest(connection, 'resources/subscribe').params).toMatchObject({
    uri: 'file:///notes/1',
  });
  connection?.send({
    method: 'notifications/resources/updated',
    params: { uri: 'file:///notes/1' },
  });
  expect(changes).toContainEqual({ uri: 'mcp://one/file:///notes/1' });
});

test('lists are followed at a limited rate, and known after a restart', async () => {
  const stored = new Map<string, Json>();
  const { clock, servers, calls } = await connected(['one'], stored);
  const [connection] = servers['one']?.connections ?? [];
  const listings = () =>
    connection?.received.filter(({ method }) => method === 'prompts/list').length;
  expect(listings()).toBe(1);
  for (let count = 0; count < 50; count++) {
    connection?.send({ method: 'notifications/prompts/list_changed' });
  }
  clock.advance(5_000);
  await settled();
  expect(listings()).toBe(2);
  expect(calls.page(OWNER, 'prompts')?.json).toContain('mcp__one__greet');
  const next = await createTestHub({ one: notesServer() }, { stored });
  await settled();
  expect(next.calls.page(OWNER, 'prompts')?.json).toContain('mcp__one__greet');
});
