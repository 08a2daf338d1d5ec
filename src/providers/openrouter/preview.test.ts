import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { realClock } from '#net/net.fixture.ts';
import { createOpenRouter as emulated } from '../../../emulator/openrouter/openrouter.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { asking, completion, realDeps, scriptedHttp, user } from '../custom/custom.fixture.ts';
import { verifies } from '../../../test/verifies.ts';
import { previewAndSent, PREVIEWED } from '../preview.fixture.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { createOpenRouter } from './openrouter.ts';

const KEY = 'sk-or-0123456789';

let emulator: Emulator;
let deps: ProviderDeps;
beforeAll(async () => {
  emulator = await startEmulator({ vendors: [emulated()] });
  deps = realDeps(realClock);
});
afterEach(() => emulator.reset());
afterAll(async () => {
  await deps.http.close();
  await deps.publicHttp.close();
  await emulator.close();
});

const requestFor = (model: string): ChatRequest => ({
  model,
  messages: [user('Say exactly: blue')],
  delivery: 'stream',
});

describe.each(['moonshotai/kimi-k2.6', 'openrouter/z-ai/glm-5.3'])('a preview for %s', (model) => {
  test.each(PREVIEWED)(
    'is what is sent, or refused in the same words: %s',
    async (_, more, expected) => {
      const baseUrl = `${emulator.url}/openrouter/api/v1`;
      const settings = { baseUrl, key: createSecret(KEY), fallbackModels: ['z-ai/glm-5.3'] };
      const { provider, ask } = asking(createOpenRouter(settings, deps), deps.clock);
      const bodies = () => emulator.requests().map(({ body }) => body);
      const request = { ...requestFor(model), ...more };
      const { previewed, sent } = await previewAndSent({ provider, request, ask, bodies });
      expect(previewed).toEqual(sent);
      expect(expected).toContain(sent.is);
    },
  );
});

verifies(
  'route:explain',
  'a preview leaves out what a model was learned to refuse, as the next request does',
  async () => {
    const refusal = { error: { message: 'Unsupported parameter: temperature', code: 400 } };
    const { http, requests } = scriptedHttp((_, body) =>
      'temperature' in body ? { status: 400, json: refusal } : completion({ content: 'done' }),
    );
    const settings = { baseUrl: 'https://openrouter.test/api/v1', key: createSecret(KEY) };
    const { provider, ask } = asking(createOpenRouter(settings, { ...deps, http }), deps.clock);
    const request = { ...requestFor('moonshotai/kimi-k2.6'), sampling: { temperature: 0.5 } };
    const first = provider.preview?.(request);
    expect(first).toMatchObject({
      url: 'https://openrouter.test/api/v1/chat/completions',
      body: { temperature: 0.5 },
    });
    expect(JSON.stringify(first)).not.toContain(KEY);
    expect(requests).toEqual([]);
    await ask({ ...request, delivery: 'whole' });
    expect(requests).toHaveLength(2);
    expect(provider.preview?.(request).body).not.toHaveProperty('temperature');
  },
);
