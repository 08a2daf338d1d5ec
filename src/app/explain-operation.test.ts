import { expect, test } from 'vitest';
import { createLibrary } from '#calls/library.ts';
import type { Caller } from '#core/call.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import { loadConfig } from '#config/load.ts';
import { explainedOperation } from './explain-operation.ts';

const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const CHATS: Caller = { principal: 'aider', scopes: ['gateway_chat'], roots: [] };
const OTHER: Caller = { principal: 'ci', scopes: ['read:status'], roots: [] };

const library = createLibrary();
library.put('builtin', {
  operations: gatewayOperations({
    desk: {
      resolve: () => ({ is: 'unknown' }) as never,
      models: () => [],
    } as unknown as Parameters<typeof gatewayOperations>[0]['desk'],
    timeoutMs: 1000,
    models: loadConfig({ env: { EXAI_HOME: '/nowhere' } }).config.gateway.models,
    quotes: 'as_asked',
  }),
});

/** What would be asked for the body of a request. */
function wouldAsk(body: Record<string, unknown>, caller = OWNER) {
  const found = explainedOperation(library, 'gateway_chat', caller);
  return found?.tool.wouldAsk?.(found.read(body));
}

test('the very body of a request is what is explained, and no quotation closes it', () => {
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
  expect(wouldAsk(body)).toMatchObject({
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
  const asked = wouldAsk({ prompt: 'hi', model: 'auto' });
  expect(asked).toEqual(wouldAsk({ messages: [{ role: 'user', content: 'hi' }], model: 'auto' }));
  expect(asked).toMatchObject({ lastResort: 'none' });
});

test.each<[Record<string, unknown>, string]>([
  [{}, 'messages'],
  [{ messages: 7 }, 'messages'],
  [{ prompt: 7 }, 'prompt'],
  [{ prompt: 'hi', messages: [] }, 'prompt'],
])('%j is refused with its field', (body, field) => {
  expect(() => wouldAsk(body)).toThrow(expect.objectContaining({ class: 'validation', field }));
});

test('who may not chat through the gateway is not told how it would go', () => {
  expect(wouldAsk({ prompt: 'hi' }, CHATS)).toBeDefined();
  expect(explainedOperation(library, 'gateway_chat', OTHER)).toBeUndefined();
  expect(explainedOperation(library, 'gateway_models', CHATS)).toBeUndefined();
});

test('operations that ask no model are found, and have nothing to tell', () => {
  const found = explainedOperation(library, 'gateway_models', OWNER);
  expect(found?.tool).not.toHaveProperty('wouldAsk');
  expect(explainedOperation(library, '__proto__', OWNER)).toBeUndefined();
});
