import { expect, test } from 'vitest';
import type { CallError } from '#core/errors/call-error.ts';
import { thrownError } from '../gateway/thrown-error.fixture.ts';
import { createAnthropicDialect } from './dialect.ts';

const dialect = createAnthropicDialect();

function refused(body: unknown): CallError {
  const thrown = thrownError(() => dialect.readChat(body, {}));
  if (thrown) return thrown;
  throw new Error('It was taken.');
}

const HELLO = [{ role: 'user', content: 'hello' }];
const CALLS = { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a', name: 'read' }] };
const PNG = { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' };
const NOWHERE = { properties: { x: { $ref: '#/$defs/nosuch' } } };
const READ = { name: 'read', input_schema: { type: 'object' } };
const ONE = { max_tokens: 1, messages: HELLO };
const userSays = (...content: readonly unknown[]) => ({
  ...ONE,
  messages: [{ role: 'user', content }],
});
const modelSays = (...content: readonly unknown[]) => ({
  ...ONE,
  messages: [...HELLO, { role: 'assistant', content }],
});
const DEEP = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object;

test.each<[unknown, string]>([
  [{ messages: HELLO }, 'max_tokens'],
  [{ ...ONE, max_tokens: 0 }, 'max_tokens'],
  [{ ...ONE, max_tokens: 1.5 }, 'max_tokens'],
  [{ ...ONE, max_tokens: '100' }, 'max_tokens'],
  [{ max_tokens: 1 }, 'messages'],
  [{ ...ONE, messages: [] }, 'messages'],
  [{ ...ONE, messages: [{ role: 'assistant', content: '' }] }, 'messages'],
  [{ ...ONE, messages: [7] }, 'messages[0]'],
  [{ ...ONE, messages: [{ role: '__proto__', content: 'x' }] }, 'messages[0].role'],
  [{ ...ONE, messages: [{ role: 'user' }] }, 'messages[0].content'],
  [{ ...ONE, messages: [{ role: 'user', content: ' \n' }] }, 'messages[0].content'],
  [userSays(), 'messages[0].content'],
  [userSays({ type: 'text', text: ' ' }), 'messages[0].content'],
  [userSays({ type: 'text' }), 'messages[0].content[0].text'],
  [userSays({ type: 'constructor' }), 'messages[0].content[0].type'],
  [userSays({ type: 'image' }), 'messages[0].content[0].source'],
  [userSays({ type: 'image', source: { type: 'file' } }), 'messages[0].content[0].source.file_id'],
  [
    userSays({ type: 'image', source: { ...PNG, media_type: 'text/html' } }),
    'messages[0].content[0].source.media_type',
  ],
  [userSays({ type: 'image', source: { ...PNG, data: '' } }), 'messages[0].content[0].source.data'],
  [
    userSays({ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }),
    'messages[0].content[0].source.url',
  ],
  [
    userSays({
      type: 'document',
      source: { type: 'base64', media_type: 'text/plain', data: '//5BAA==' },
    }),
    'messages[0].content[0].source.data',
  ],
  [
    userSays({ type: 'document', source: { type: 'content', content: [{ type: 'document' }] } }),
    'messages[0].content[0].source.content[0].type',
  ],
  [userSays({ type: 'tool_result' }), 'messages[0].content[0].tool_use_id'],
  [userSays({ type: 'tool_result', tool_use_id: 'gone' }), 'messages[0].content[0].tool_use_id'],
  [
    userSays({ type: 'tool_result', tool_use_id: 'x'.repeat(10_000) }),
    'messages[0].content[0].tool_use_id',
  ],
  [
    {
      ...ONE,
      messages: [
        CALLS,
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'odd' }] }],
        },
      ],
    },
    'messages[1].content[0].content[0].type',
  ],
  [modelSays({ type: 'image', source: PNG }), 'messages[1].content[0].type'],
  [modelSays({ type: 'tool_use', id: '', name: 'read' }), 'messages[1].content[0].id'],
  [modelSays({ type: 'tool_use', id: 'x', name: '' }), 'messages[1].content[0].name'],
  [
    modelSays({ type: 'tool_use', id: 'x', name: 'read', input: [1] }),
    'messages[1].content[0].input',
  ],
  [
    modelSays({ type: 'tool_use', id: 'x', name: 'read', input: DEEP }),
    'messages[1].content[0].input',
  ],
  [{ ...ONE, system: 7 }, 'system'],
  [{ ...ONE, system: [{ type: 'image' }] }, 'system[0].type'],
  [{ ...ONE, model: 7 }, 'model'],
  [{ ...ONE, model: 'x'.repeat(1000) }, 'model'],
  [{ ...ONE, stream: 'yes' }, 'stream'],
  [{ ...ONE, temperature: 1.5 }, 'temperature'],
  [{ ...ONE, top_p: -1 }, 'top_p'],
  [{ ...ONE, stop_sequences: 'END' }, 'stop_sequences'],
  [{ ...ONE, stop_sequences: ['a', ''] }, 'stop_sequences[1]'],
  [{ ...ONE, stop_sequences: ['x'.repeat(1001)] }, 'stop_sequences[0]'],
  [{ ...ONE, stop_sequences: Array.from({ length: 65 }, (_, at) => `s${at}`) }, 'stop_sequences'],
  [{ ...ONE, tools: {} }, 'tools'],
  [{ ...ONE, tools: [{ input_schema: {} }] }, 'tools[0].name'],
  [{ ...ONE, tools: [{ ...READ, name: 'a b' }] }, 'tools[0].name'],
  [{ ...ONE, tools: [READ, READ] }, 'tools[1].name'],
  [{ ...ONE, tools: [{ name: 'read' }] }, 'tools[0].input_schema'],
  [
    { ...ONE, tools: [{ name: 'read', input_schema: { type: 'string' } }] },
    'tools[0].input_schema',
  ],
  [{ ...ONE, tools: [{ name: 'read', input_schema: DEEP }] }, 'tools[0].input_schema'],
  [{ ...ONE, tools: [{ name: 'read', input_schema: { $ref: '#' } }] }, 'tools[0].input_schema'],
  [
    { ...ONE, tools: [{ name: 'read', input_schema: NOWHERE }] },
    'tools[0].input_schema.properties.x.$ref',
  ],
  [{ ...ONE, tools: [READ, { type: 'code_execution_20250825', name: 'run' }] }, 'tools[1].type'],
  [{ ...ONE, thread: { type: 'create' } }, 'thread'],
  [{ ...ONE, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, 'tools[0].type'],
  [{ ...ONE, tool_choice: { type: 'any' } }, 'tool_choice'],
  [{ ...ONE, tool_choice: { type: 'tool', name: 'gone' }, tools: [READ] }, 'tool_choice.name'],
  [{ ...ONE, tool_choice: { type: 'all' } }, 'tool_choice.type'],
  [{ ...ONE, thinking: { type: 'deep' } }, 'thinking.type'],
  [{ ...ONE, thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
  [{ ...ONE, thinking: { type: 'enabled', budget_tokens: 1e6 } }, 'thinking.budget_tokens'],
  [{ ...ONE, max_tokens: 100_000_000 }, 'max_tokens'],
  [{ ...ONE, compaction: { type: 'summarize' } }, 'compaction'],
  [{ ...ONE, inference_geo: 'us' }, 'inference_geo'],
  [{ ...ONE, output_config: { effort: 'huge' } }, 'output_config.effort'],
  [{ ...ONE, output_config: { format: { type: 'text' } } }, 'output_config.format.type'],
  [{ ...ONE, output_format: { type: 'json_schema', schema: 7 } }, 'output_format.schema'],
  [
    { ...ONE, output_format: { type: 'json_schema', schema: NOWHERE } },
    'output_format.schema.properties.x.$ref',
  ],
  [{ ...ONE, mcp_servers: [{ url: 'https://example.com' }] }, 'mcp_servers'],
  [{ ...ONE, exai: { max_cost_usd: -1 } }, 'exai.max_cost_usd'],
  [{ ...ONE, exai: { max_cost: 1 } }, 'exai.max_cost'],
  [{ ...ONE, exai: { continue: 'no' } }, 'exai.continue'],
  [{ ...ONE, exai: { prefer: 'beauty' } }, 'exai.prefer'],
])('%j is rejected for %s, with a fix', (body, field) => {
  const fix: unknown = expect.stringMatching(/^[A-Z].*\.$/);
  expect(refused(body)).toMatchObject({ class: 'validation', field, fix });
});

test.each([null, 7, 'hello', [ONE]])('a body that is %j is a bad request', (body) => {
  expect(refused(body)).toMatchObject({ class: 'bad_request', field: 'body' });
});

test('a tool of Anthropic’s is rejected with its type and a fix', () => {
  const { message, fix } = refused({
    ...ONE,
    tools: [{ type: 'web_fetch_20250910', name: 'get' }],
  });
  expect(message).toContain('"web_fetch_20250910"');
  expect(fix).toContain('input_schema');
});
