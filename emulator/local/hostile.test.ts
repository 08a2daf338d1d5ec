import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlm } from '../glm/glm.ts';
import { createOpenRouter } from '../openrouter/openrouter.ts';
import { useEmulator } from '../client.fixture.ts';
import { createLocalVendors } from './local.ts';

const harness = useEmulator(() => [createGlm(), createOpenRouter(), ...createLocalVendors()], {
  'accept-language': 'en',
});

const SERVERS: readonly (readonly [path: string, model: string, key: string])[] = [
  ['/glm/api/paas/v4/chat/completions', 'glm-4.6', 'a.secret'],
  ['/glm/api/paas/v4/chat/completions', 'glm-4.6v', 'a.secret'],
  ['/glm/api/paas/v4/async/chat/completions', 'glm-5.3', 'a.secret'],
  ['/glm/api/paas/v4/tokenizer', 'glm-4.6', 'a.secret'],
  ['/glm/api/paas/v4/embeddings', 'embedding-3', 'a.secret'],
  ['/glm/api/paas/v4/web_search', '', 'a.secret'],
  ['/glm/api/paas/v4/reader', '', 'a.secret'],
  ['/glm/api/paas/v4/layout_parsing', 'glm-ocr', 'a.secret'],
  ['/glm/api/paas/v4/videos/generations', 'cogvideox-3', 'a.secret'],
  ['/openrouter/api/v1/chat/completions', 'z-ai/glm-5.3', 'sk-or-x'],
  ['/ollama/v1/chat/completions', 'llama3.2', 'x'],
  ['/ollama/api/chat', 'llama3.2', 'x'],
  ['/ollama/v1/embeddings', 'nomic-embed-text', 'x'],
  ['/vllm/v1/chat/completions', 'Qwen/Qwen3-8B', 'x'],
  ['/llamacpp/v1/chat/completions', 'x', 'x'],
  ['/lmstudio/v1/chat/completions', 'qwen3-4b', 'x'],
];

/** Members that somebody looks at, with values that nobody expects. */
const NAMES = [
  'content',
  'tool_calls',
  'tools',
  'tool_choice',
  'response_format',
  'thinking',
  'stop',
  'reasoning',
  'reasoning_details',
  'provider',
  'models',
  'input',
  'options',
  'format',
  'stream_options',
  'search_query',
  'url',
  'file',
  'prompt',
  'guided_json',
  'images',
  '__proto__',
  'constructor',
];

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('', '__proto__', '\ud800', -1, 1e308, 'x'.repeat(2_000)),
  fc.constantFrom('text', 'image_url', 'video_url', 'file_url').chain((type) =>
    fc.jsonValue({ maxDepth: 2 }).map((value) => [
      { type, [type]: value },
      { type, [type]: { url: value } },
    ]),
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => [
    {
      type: 'function',
      function: { name: 'f', description: 'd', parameters: value, arguments: value },
    },
  ]),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((schema) => ({ type: 'json_schema', json_schema: { name: 's', schema } })),
);

const message = fc.record(
  {
    role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'x'),
    content: anything,
    tool_calls: anything,
    reasoning_details: anything,
  },
  { requiredKeys: ['role'] },
);

test('whatever is sent, the vendor answers, and never does the emulator fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SERVERS),
      fc.oneof(anything, fc.array(message, { minLength: 1, maxLength: 3 })),
      fc.dictionary(fc.constantFrom(...NAMES), anything, { maxKeys: 4 }),
      fc.boolean(),
      async ([path, model, key], messages, more, stream) => {
        const body = { ...more, ...(model === '' ? {} : { model }), messages, stream };
        const { status, text } = await harness.post(path, body, { authorization: `Bearer ${key}` });
        expect(text).not.toContain('The emulator failed');
        expect([200, 400, 401, 404, 500, 503]).toContain(status);
      },
    ),
    { numRuns: 300 },
  );
});
