import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { previewAndSent, PREVIEWED } from '../preview.fixture.ts';
import { createCustom } from './custom.ts';
import { PNG, user } from './custom.fixture.ts';
import { emulatedServers } from './servers.fixture.ts';

const { emulator, deps, setUp } = emulatedServers();

const requestFor = (model: string): ChatRequest => ({
  model,
  messages: [user('Say exactly: blue')],
  delivery: 'whole',
});

describe.each([
  ['ollama', 'qwen3:8b'],
  ['vllm', ''],
  ['llamacpp', ''],
  ['lmstudio', 'gemma-3-4b-it'],
])('a preview for %s, once it was looked at', (flavour, model) => {
  test.each(PREVIEWED)(
    'is what is sent, or refused in the same words: %s',
    async (_, more, expected) => {
      const { provider, ask, chats } = setUp(flavour, model);
      expect(await ask('Say exactly: here')).toMatchObject({ is: 'answered' });
      const request = { ...requestFor(''), ...more };
      const { previewed, sent } = await previewAndSent({ provider, request, ask, bodies: chats });
      expect(previewed).toEqual(sent);
      expect(expected).toContain(sent.is);
    },
  );
});

verifies(
  'route:explain',
  'a server that was never looked at is taken for any OpenAI-compatible one, and not asked',
  () => {
    const { provider, chats } = setUp('ollama', 'qwen3:8b');
    const source = { base64: PNG, mediaType: 'image/gif' };
    const preview = provider.preview?.({
      ...requestFor(''),
      messages: [{ role: 'user', content: [{ type: 'image', source }] }],
      delivery: 'stream',
    });
    expect(preview).toEqual({
      url: `${emulator().url}/ollama/v1/chat/completions`,
      body: {
        model: 'qwen3:8b',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: `data:image/gif;base64,${PNG}` } }],
          },
        ],
        stream: true,
      },
    });
    expect(chats()).toEqual([]);
    expect(emulator().requests()).toEqual([]);
  },
);

test('a picture that would be fetched is a mark, and the key is nowhere', () => {
  const key = 'sk-home-0123456789';
  const { provider } = setUp('vllm', 'm', { key: createSecret(key) });
  const source = { url: 'https://pictures.test/a.png' };
  const messages = [{ role: 'user', content: [{ type: 'image', source }] }] as const;
  const preview = JSON.stringify(provider.preview?.({ ...requestFor(''), messages }));
  expect(preview).toContain('data:image/*;base64,<the bytes of https://pictures.test/a.png>');
  expect(preview).not.toContain(key);
});

test.each([
  ['', '', 'There is no custom server.'],
  ['http://127.0.0.1:9/v1', '', 'No model is named, and the server was not asked yet.'],
])('without an address or a model there is no preview: %j %j', (baseUrl, model, message) => {
  const provider = createCustom({ baseUrl, key: createSecret('') }, deps());
  expect(() => provider.preview?.(requestFor(model))).toThrow(
    expect.objectContaining({ class: 'not_configured', provider: 'custom', message }),
  );
});
