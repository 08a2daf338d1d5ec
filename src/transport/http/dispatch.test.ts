import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { get, listen } from './listener.fixture.ts';

interface Told {
  readonly type?: string;
  readonly error: Readonly<Record<'message' | 'fix' | 'type' | 'code' | 'class', string>>;
}

const CHATS: Endpoint = {
  path: '/v1/chat/completions',
  handle: (exchange) => exchange.answer(200, 'text/plain', 'ok'),
  refuse: (exchange) => exchange.answer(400, 'text/plain', 'no'),
};

async function toldAt(
  path: string,
  gateway: 'on' | 'off' = 'on',
  headers: Record<string, string> = {},
): Promise<Told> {
  const { listener } = await listen([], { endpoints: gateway === 'on' ? [CHATS] : [] });
  const { status, body } = await get(listener, path, headers);
  expect(status).toBe(404);
  return JSON.parse(body) as Told;
}

test.each(['/', '/api', '/v10', '/chat', '/models.html'])(
  'who asks at %s is told where things are',
  async (path) => {
    expect((await toldAt(path)).error.fix).toBe(
      'MCP is at /mcp, the gateway for clients of the OpenAI and Anthropic APIs at /v1.',
    );
    expect((await toldAt(path, 'off')).error.fix).toBe('MCP is at /mcp.');
  },
);

test.each(['/chat/completions', '/v1/v1/messages', '/v1/responses', '/v1', '/openai/v1/models'])(
  'a client of the gateway that asks at %s is told which base it wants',
  async (path) => {
    const { message } = (await toldAt(path)).error;
    expect(message).toContain('/v1/chat/completions');
    expect(message).toContain('OpenAI clients want a base URL that ends with /v1');
  },
);

test.each(['/v1/chat/completions', '/v1/messages', '/v1/models', '/chat/completions'])(
  'at %s it is said that the gateway is switched off, and nothing against that',
  async (path) => {
    expect((await toldAt(path, 'off')).error.message).toBe(
      `Nothing is served at ${path}. The gateway is switched off: set gateway.enabled (EXAI_GATEWAY_ENABLED) to true and start the daemon again.`,
    );
  },
);

test.each([
  ['/v1/responses', 'The Responses API is not served; chat completions are.'],
  ['/v1/responses/resp_1', 'The Responses API is not served; chat completions are.'],
  ['/v1/completions', 'Completions without a chat are not served; chat completions are.'],
])('who asks for what is not served at %s is told so', async (path, words) => {
  const { message } = (await toldAt(path)).error;
  expect(message).toContain(words);
  expect((await toldAt('/v1/chat/v1/chat/completions')).error.message).not.toContain('not served');
});

test('clients of either vendor find the words where they look for them', async () => {
  expect(await toldAt('/v1/responses')).toMatchObject({
    type: 'error',
    error: { class: 'not_found', type: 'invalid_request_error', code: 'not_found', param: null },
  });
  const anthropic = await toldAt('/v1/v1/messages', 'on', { 'anthropic-version': '2023-06-01' });
  expect(anthropic).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
});

test.each([
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/openid-configuration',
  '/mcp/.well-known/openid-configuration',
  '/register',
])('who looks for OAuth at %s is told of the token in an error as OAuth has them', async (path) => {
  expect(await toldAt(path)).toEqual({
    error: 'invalid_request',
    error_description: expect.stringMatching(
      /does not use OAuth.*Authorization: Bearer.*exai token show/,
    ) as string,
    class: 'not_found',
  });
});
