import { NO_DOCUMENTS } from '#tools/gateway/no-documents.fixture.ts';
import { expect, test } from 'vitest';
import { createAccess } from '#calls/access.ts';
import { createContentRegistry } from '#calls/content-registry.ts';
import type { Caller } from '#core/calls/call.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import { loadConfig } from '#config/load/load.ts';
import { explainedOperation } from './explain-operation.ts';

const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const CHATS: Caller = { principal: 'aider', scopes: ['gateway_chat'], roots: [] };
const OTHER: Caller = { principal: 'ci', scopes: ['read:status'], roots: [] };

const content = createContentRegistry();
const access = createAccess({ registry: { find: () => undefined } });
const sources = { content, access };
content.put('builtin', {
  operations: gatewayOperations({
    modelDirectory: {
      resolve: () => ({ is: 'unknown' }) as never,
      models: () => [],
    } as unknown as Parameters<typeof gatewayOperations>[0]['modelDirectory'],
    responses: { get: async () => undefined, delete: async () => false },
    files: {} as Parameters<typeof gatewayOperations>[0]['files'],
    newId: () => {
      throw new Error('No file is stored here.');
    },
    maxFileBytes: 1,
    ...NO_DOCUMENTS,
    timeoutMs: 1000,
    embeddingAliases: [],
    aliases: loadConfig({ env: { EXAI_HOME: '/nowhere' } }).config.gateway.aliases,
    quotes: 'as_asked',
  }),
});

/** The ask of an operation with this body. */
function previewAsk(body: Record<string, unknown>, caller = OWNER) {
  const found = explainedOperation(sources, 'gateway_chat', caller);
  return found?.tool.previewAsk?.(found.read(body));
}

test('the body of a request is explained as it is, without the extractive fallback', () => {
  const body = {
    model: 'claude-opus-4',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'hi' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
    stream: true,
    exai: { fallback: 'none' },
  };
  expect(previewAsk(body)).toMatchObject({
    model: 'auto',
    tools: [{ name: 'look' }],
    lastResort: 'none',
    context: 'whole',
    search: 'off',
    fallback: 'none',
    delivery: 'stream',
  });
});

test('a question alone is a conversation of one message', () => {
  const asked = previewAsk({ prompt: 'hi', model: 'auto' });
  expect(asked).toEqual(previewAsk({ messages: [{ role: 'user', content: 'hi' }], model: 'auto' }));
  expect(asked).toMatchObject({ lastResort: 'none' });
});

test.each<[Record<string, unknown>, string]>([
  [{}, 'messages'],
  [{ messages: 7 }, 'messages'],
  [{ prompt: 7 }, 'prompt'],
  [{ prompt: 'hi', messages: [] }, 'prompt'],
])('%j is refused with its field', (body, field) => {
  expect(() => previewAsk(body)).toThrow(expect.objectContaining({ class: 'validation', field }));
});

test('a caller without access to the gateway gets no explanation', () => {
  expect(previewAsk({ prompt: 'hi' }, CHATS)).toBeDefined();
  expect(explainedOperation(sources, 'gateway_chat', OTHER)).toBeUndefined();
  expect(explainedOperation(sources, 'gateway_models', CHATS)).toBeUndefined();
});

test('operations that ask no model are found, and have no explanation', () => {
  const found = explainedOperation(sources, 'gateway_models', OWNER);
  expect(found?.tool).not.toHaveProperty('previewAsk');
  expect(explainedOperation(sources, '__proto__', OWNER)).toBeUndefined();
});
