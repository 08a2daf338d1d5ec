import { expect, test } from 'vitest';
import { createServerView } from '#calls/server-view.ts';
import type { Caller } from '#core/calls/call.ts';
import type { ListKind } from '#core/calls/calls.ts';
import { OWNER, probeTool, settled } from '../../src/calls/calls.fixture.ts';
import { createTestHub, scriptServer, type RpcMessage, type ServerScript } from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const NOTE = { uri: 'file:///notes/1', name: 'a note' };

function scripted(tools: readonly string[], own: string): ServerScript {
  return {
    capabilities: { tools: {}, prompts: {}, resources: {} },
    tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
    handlers: {
      'prompts/list': ({ id }, { send }) => send({ id, result: { prompts: [{ name: own }] } }),
      'prompts/get': ({ id, params }, { send }) => {
        const text = `${nameIn(params)} of ${own}`;
        send({ id, result: { messages: [{ role: 'user', content: { type: 'text', text } }] } });
      },
      'resources/list': ({ id }, { send }) => send({ id, result: { resources: [NOTE] } }),
      'resources/read': ({ id, params }, { send }) =>
        send({ id, result: { contents: [{ uri: params?.['uri'], text: own }] } }),
      'tools/call': ({ id, params }, { send }) => {
        const content = [{ type: 'text', text: `${nameIn(params)} by ${own}` }];
        send({ id, result: { content } });
      },
    },
  };
}

function nameIn(params: RpcMessage['params']): string {
  const name = params?.['name'];
  return typeof name === 'string' ? name : '';
}

async function openView() {
  const servers = {
    notes: scriptServer(scripted(['find', 'status'], 'greet')),
    other: scriptServer(scripted(['secret'], 'hidden')),
  };
  const hub = await createTestHub(servers, { tools: [probeTool({ name: 'chat' }).tool] });
  hub.clock.advance(0);
  await settled();
  const { calls, registry, content, access } = hub;
  const view = createServerView({
    server: 'notes',
    calls,
    registry,
    content,
    access,
    pageSize: 1000,
  });
  const namesOf = (kind: ListKind, caller: Caller = OWNER) =>
    (JSON.parse(view.page(caller, kind)?.json ?? '[]') as { name: string; uri?: string }[]).map(
      ({ name, uri }) => uri ?? name,
    );
  const call = (tool: string, more = {}) =>
    view.start({ tool, args: {}, caller: OWNER, transport: 'unix', session: 's1', ...more }).answer;
  return { ...hub, view, namesOf, call };
}

verifies('hub:run', 'a view lists what one server has, under its own names', async () => {
  const { view, namesOf } = await openView();
  expect(namesOf('tools')).toEqual(['find', 'status']);
  expect(view.list(OWNER).tools.map(({ name }) => name)).toEqual(['find', 'status']);
  expect(namesOf('prompts')).toEqual(['greet']);
  expect(namesOf('resources')).toEqual(['mcp://notes/file:///notes/1']);
  expect(namesOf('tools', { ...OWNER, scopes: ['mcp__notes__find'] })).toEqual(['find']);
});

verifies('hub:run', 'a call in a view is one of its server, with its audit', async () => {
  const { call, store } = await openView();
  expect((await call('status')).text).toBe('status by greet');
  expect(store.recorded.map(({ tool }) => tool)).toEqual(['mcp__notes__status']);
  const prompt = await call('greet', { kind: 'prompt' });
  expect(JSON.stringify(prompt.envelope)).toContain('greet of greet');
  const resource = await call('mcp://notes/file:///notes/1', { kind: 'resource' });
  expect(JSON.stringify(resource.envelope)).toContain('greet');
});

test.each([
  ['tool', 'chat'],
  ['tool', 'secret'],
  ['tool', 'mcp__other__secret'],
  ['tool', 'mcp__notes__find'],
  ['prompt', 'mcp__other__hidden'],
  ['resource', 'mcp://other/file:///notes/1'],
] as const)('a view has no %s %s', async (kind, name) => {
  const { call, view } = await openView();
  const { error } = await call(name, { kind });
  expect(error?.class).toBe('not_found');
  expect(view.find(name)).toBeUndefined();
});
