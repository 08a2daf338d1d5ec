import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint-dispatcher.ts';
import { get, listen } from './listener.fixture.ts';

interface NotFoundBody {
  readonly type?: string;
  readonly error: Readonly<Record<'message' | 'fix' | 'type' | 'code' | 'class', string>>;
}

const CHATS: Endpoint = {
  path: '/v1/chat/completions',
  handle: (context) => context.answer(200, 'text/plain', 'ok'),
  refuse: (context) => context.answer(400, 'text/plain', 'no'),
};

async function notFoundAt(
  path: string,
  gateway: 'on' | 'off' = 'on',
  headers: Record<string, string> = {},
): Promise<NotFoundBody> {
  const { listener } = await listen([], { endpoints: gateway === 'on' ? [CHATS] : [] });
  const { status, body } = await get(listener, path, headers);
  expect(status).toBe(404);
  return JSON.parse(body) as NotFoundBody;
}

test.each(['/', '/api', '/v10', '/chat', '/models.html'])(
  'a 404 at %s says which paths exist',
  async (path) => {
    expect((await notFoundAt(path)).error.fix).toBe(
      'MCP is at /mcp, the gateway for clients of the OpenAI and Anthropic APIs at /v1.',
    );
    expect((await notFoundAt(path, 'off')).error.fix).toBe('MCP is at /mcp.');
  },
);

test.each(['/chat/completions', '/v1/v1/messages', '/v1/responses', '/v1', '/openai/v1/models'])(
  'a 404 at %s tells clients of the gateway the right base URL',
  async (path) => {
    const { message } = (await notFoundAt(path)).error;
    for (const served of ['/v1/chat/completions', '/v1/responses', '/v1/files'])
      expect(message).toContain(served);
    expect(message).toContain('OpenAI clients need a base URL that ends with /v1');
  },
);

test.each(['/v1/chat/completions', '/v1/messages', '/v1/models', '/chat/completions'])(
  'a 404 at %s says that the gateway is switched off, and only that',
  async (path) => {
    expect((await notFoundAt(path, 'off')).error.message).toBe(
      `Nothing is served at ${path}. The gateway is switched off: set gateway.enabled (EXAI_GATEWAY_ENABLED) to true and start the daemon again.`,
    );
  },
);

test('clients of both vendors find the message where they expect it', async () => {
  expect(await notFoundAt('/v1/responses')).toMatchObject({
    type: 'error',
    error: { class: 'not_found', type: 'invalid_request_error', code: 'not_found', param: null },
  });
  const anthropic = await notFoundAt('/v1/v1/messages', 'on', {
    'anthropic-version': '2023-06-01',
  });
  expect(anthropic).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
});

test.each([
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/openid-configuration',
  '/mcp/.well-known/openid-configuration',
  '/register',
])('a request for OAuth at %s gets an OAuth error that explains the token', async (path) => {
  expect(await notFoundAt(path)).toEqual({
    error: 'invalid_request',
    error_description: expect.stringMatching(
      /does not use OAuth.*Authorization: Bearer.*exai token show/,
    ) as string,
    class: 'not_found',
  });
});

test('a 404 can be read by pages of the allowed origins, after their preflight request', async () => {
  const origin = 'https://app.example';
  const { listener } = await listen([], { endpoints: [CHATS], origins: [origin] });
  const missing = await get(listener, '/v1/unknown', { origin });
  expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, origin]);
  const asked = { origin, 'access-control-request-method': 'POST' };
  const preflight = await get(listener, '/v1/unknown', asked, 'OPTIONS');
  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, GET, DELETE',
    },
  });
  const foreign = { ...asked, origin: 'https://evil.example' };
  for (const method of ['GET', 'OPTIONS']) {
    const refused = await get(listener, '/v1/unknown', foreign, method);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([
      403,
      undefined,
    ]);
  }
  const program = await get(listener, '/v1/unknown');
  expect(program.headers['access-control-allow-origin']).toBeUndefined();
});
