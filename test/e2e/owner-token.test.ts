import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const REQUIRED = { env: { EXAI_AUTH_REQUIRE_TOKEN: 'true' } };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

function post(url: string, path: string, body: object, headers: Record<string, string> = {}) {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** How a WebSocket that says this first ends: by its close code, or with the first answer. */
function greet(url: string, first: object): Promise<number | string> {
  const ws = new WebSocket(url.replace('http', 'ws'));
  return new Promise((resolve, reject) => {
    ws.once('error', reject);
    ws.once('open', () => ws.send(JSON.stringify(first)));
    ws.once('close', (code) => resolve(code));
    ws.on('message', (data) => {
      const { op, ok } = JSON.parse((data as Buffer).toString()) as { op?: string; ok?: boolean };
      if (op === 'hello_ack' && ok === true) {
        resolve('hello_ack');
        ws.close();
      }
    });
  });
}

verifies(
  'security:owner-token',
  'a first start generates a token, without which nothing over TCP is served but the probes',
  async () => {
    const { path, exai, serve } = createHome();
    const { url } = await serve([], REQUIRED);
    const token = (await exai(['token', 'show'], REQUIRED)).stdout.trim();
    expect(token).toMatch(/^exai-owner-[\w-]{43}$/);
    expect(readFileSync(path('.env'), 'utf8')).toBe(`EXAI_TOKEN=${token}\n`);
    expect(statSync(path('.env')).mode & 0o777).toBe(0o600);

    const chat = { model: 'auto', messages: [{ role: 'user', content: 'Hello' }] };
    for (const headers of [{}, bearer('wrong-and-long-enough')]) {
      const refused = [
        await post(url, '/mcp', INITIALIZE, headers),
        await post(url, '/v1/chat/completions', chat, headers),
        await post(url, '/v1/messages', { ...chat, max_tokens: 1 }, headers),
        await fetch(`${url}/v1/models`, { headers }),
        await fetch(`${url}/sse`, { headers: { accept: 'text/event-stream', ...headers } }),
        await fetch(`${url}/metrics`, { headers }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
      for (const answer of refused) expect(await answer.text()).toContain('exai token show');
    }
    expect(await greet(url, { op: 'hello' })).toBe(4003);
    expect(await greet(url, INITIALIZE)).toBe(4003);
    expect(await greet(url, { op: 'hello', token })).toBe('hello_ack');
    expect((await post(url, '/mcp', INITIALIZE, bearer(token))).status).toBe(200);
    expect((await fetch(`${url}/metrics`, { headers: bearer(token) })).status).toBe(200);
    const probes = [await fetch(`${url}/healthz`), await fetch(`${url}/readyz`)];
    expect(probes.map(({ status }) => status)).toEqual([200, 200]);

    // The socket file, and so every command, needs none.
    expect((await exai(['tools', '--json'], REQUIRED)).code).toBe(0);
    const log = readFileSync(path('logs', 'daemon.jsonl'), 'utf8');
    expect(log).toContain('owner_token_generated');
    expect(log).not.toContain(token);
  },
);

test('a client that looks for OAuth is told what to send', async () => {
  const { serve } = createHome();
  const { url } = await serve([], REQUIRED);
  const answer = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain('does not use OAuth');
});

verifies(
  'security:token-commands',
  'a token is replaced in a running daemon, with a grace or at once, and without one in the file',
  async () => {
    const { exai, serve } = createHome();
    const show = async () => (await exai(['token', 'show'], REQUIRED)).stdout.trim();
    const first = await show();
    expect((await exai(['token', 'rotate'], REQUIRED)).code).toBe(0);
    const second = await show();
    expect(second).not.toBe(first);

    const { url } = await serve([], REQUIRED);
    const status = async (token: string) =>
      (await fetch(`${url}/v1/models`, { headers: bearer(token) })).status;
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    const { stdout } = await exai(['token', 'rotate'], REQUIRED);
    expect(stdout).toContain('The old one works for 5 minutes longer.');
    const third = await show();
    expect([await status(second), await status(third)]).toEqual([200, 200]);
    await exai(['token', 'rotate', '--now', '--json'], REQUIRED);
    const states = [await status(second), await status(third), await status(await show())];
    expect(states).toEqual([401, 401, 200]);
  },
);

test('a token of the environment is not replaced by the command, which says where it is set', async () => {
  const { exai } = createHome();
  const env = { EXAI_TOKEN: 'the-token-of-the-environment', EXAI_AUTH_REQUIRE_TOKEN: 'true' };
  const { code, stderr } = await exai(['token', 'rotate'], { env });
  expect(code).not.toBe(0);
  expect(stderr).toContain('EXAI_TOKEN');
  expect((await exai(['token', 'show'], { env })).stdout).toBe('the-token-of-the-environment\n');
});

verifies(
  'security:token-opt-out',
  'without requireToken no token is generated, a generated one is not demanded, and a chosen one is',
  async () => {
    const { exai, serve } = createHome();
    const optedOut = await serve();
    expect((await fetch(`${optedOut.url}/v1/models`)).status).toBe(200);
    expect((await exai(['token', 'show'])).stderr).toContain('auth.requireToken is off');
    const { stdout } = await exai(['doctor', '--json']);
    expect(stdout).toContain('auth.requireToken');
    await exai(['stop']);

    const generated = (await exai(['token', 'show'], REQUIRED)).stdout.trim();
    const ignored = await serve();
    expect((await fetch(`${ignored.url}/v1/models`)).status).toBe(200);
    const given = await fetch(`${ignored.url}/v1/models`, { headers: bearer(generated) });
    expect(given.status).toBe(200);
    await exai(['stop']);

    const chosen = await serve([], { env: { EXAI_TOKEN: 'chosen-by-the-user' } });
    expect((await fetch(`${chosen.url}/v1/models`)).status).toBe(401);
  },
);

verifies(
  'security:anonymous-roots',
  'a caller without a token cannot open a folder by naming it as its root',
  async () => {
    const { path, serve } = createHome();
    const { url } = await serve();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    const params = {
      name: 'chat',
      arguments: { prompt: 'What does it say?', files: [path('..', 'secret.txt')] },
      inputResponses: { client_roots: { roots: [{ uri: `file://${path('..')}` }] } },
      _meta: meta,
    };
    const answer = await post(
      url,
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'chat',
      },
    );
    const text = await answer.text();
    expect(text).toContain('allowedDirs');
  },
);

test('a home that earlier daemons used without a token says so once it has one', async () => {
  const { exai, serve } = createHome();
  await serve();
  await exai(['stop']);
  const { ended } = await serve([], REQUIRED);
  await exai(['stop'], REQUIRED);
  expect((await ended).stderr).toContain('exai token show');
});

test('a token that is too short is refused with the way to a better one', async () => {
  const { exai, path } = createHome();
  const serve = (env: Record<string, string>) => exai(['serve', '--port', '0'], { env });
  const fromEnvironment = await serve({ EXAI_TOKEN: 'short' });
  expect(fromEnvironment.code).not.toBe(0);
  expect(fromEnvironment.stderr).toContain('at least 16');
  expect(fromEnvironment.stderr).toContain('Unset EXAI_TOKEN');
  writeFileSync(path('.env'), 'EXAI_TOKEN=short\n', { mode: 0o600 });
  expect((await serve({})).stderr).toContain('exai token rotate');
  expect((await exai(['token', 'rotate'])).code).toBe(0);
  expect(readFileSync(path('.env'), 'utf8')).toMatch(/^EXAI_TOKEN=exai-owner-/);
});
