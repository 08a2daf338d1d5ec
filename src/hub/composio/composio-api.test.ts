import { expect, test } from 'vitest';
import { createComposioApi, type ComposioApiOptions } from './composio-api.ts';

function apiThatAnswers(answer: object) {
  const body = [Buffer.from(JSON.stringify(answer))];
  return createComposioApi({
    server: 'composio',
    baseUrl: 'https://composio.example',
    apiKey: 'ak',
    http: { send: async () => ({ status: 200, headers: {}, body }) },
    maxBytes: 1_000,
    newMark: () => 'm',
  } as unknown as ComposioApiOptions);
}

const { signal } = new AbortController();
const ABOUT = { userId: 'u', toolkits: [] };

test.each(['', 'mcp', 'file:///etc/passwd', 'javascript:1', 'https://', 7])(
  'a session or a link at %j is an error of the server',
  async (url) => {
    const api = apiThatAnswers({
      session_id: 's',
      mcp: { url },
      redirect_url: url,
      connected_account_id: 'a',
    });
    const refused = { class: 'bad_response', reason: { code: 'server_protocol_error' } };
    await expect(api.createSession(ABOUT, signal)).rejects.toMatchObject(refused);
    await expect(api.link('s', 'gmail', signal)).rejects.toMatchObject(refused);
  },
);

test('a session at a web address is used', async () => {
  const mcpUrl = 'https://composio.example/s/mcp';
  const api = apiThatAnswers({ session_id: 's', mcp: { url: mcpUrl } });
  expect(await api.createSession(ABOUT, signal)).toEqual({ id: 's', mcpUrl });
});
