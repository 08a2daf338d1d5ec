import { expect, test } from 'vitest';
import { get, listen } from './listener.fixture.ts';

async function errorAt(path: string): Promise<{ message: string; fix: string }> {
  const { listener } = await listen([]);
  const { status, body } = await get(listener, path);
  expect(status).toBe(404);
  return (JSON.parse(body) as { error: { message: string; fix: string } }).error;
}

test.each(['/', '/api', '/v10', '/chat', '/models.html'])(
  'who asks at %s is told where things are',
  async (path) => {
    expect((await errorAt(path)).fix).toBe(
      'MCP is at /mcp, the gateway for clients of the OpenAI and Anthropic APIs at /v1.',
    );
  },
);

test.each(['/chat/completions', '/v1/v1/messages', '/v1/responses', '/v1', '/openai/v1/models'])(
  'a client of the gateway that asks at %s is told which base it wants',
  async (path) => {
    const { message } = await errorAt(path);
    expect(message).toContain('/v1/chat/completions');
    expect(message).toContain('OpenAI clients want a base URL that ends with /v1');
  },
);
