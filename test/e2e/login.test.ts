import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { createOAuthServer } from '../../emulator/oauth/oauth.ts';
import { startEmulator } from '../../emulator/start.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { createHome, start } from './exai.ts';

/** A browser: it follows redirects as browsers do, with the headers that they send. */
async function browse(address: string): Promise<{ status: number; text: string; url: string }> {
  const asked = await fetch(address, { redirect: 'manual' });
  const url = asked.headers.get('location') ?? '';
  const { status, body: text } = await get(url, FROM_ANOTHER_SITE);
  return { status, text, url };
}

const FROM_ANOTHER_SITE = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

const TOKEN = 'login-test-token-0123456789';

async function setUp() {
  const emulator = await startEmulator({ vendors: createOAuthServer() });
  onTestFinished(() => emulator.close());
  const home = createHome();
  const daemon = await home.serve([], { env: { EXAI_TOKEN: TOKEN } });
  await home.exai(['servers', 'add', 'notes', '--url', `${emulator.url}/oauth/mcp`]);
  return { emulator, daemon, ...home };
}

type Home = Awaited<ReturnType<typeof setUp>>;

/** Runs `exai servers login` and gives the address that it prints to `user`. */
async function logIn({ root }: Home, user: (address: string) => Promise<unknown>) {
  const child = start(root, [
    'servers',
    'login',
    'notes',
    '--no-browser',
    '--json',
    '--timeout',
    '60',
  ]);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (child.stderr) {
    for await (const line of createInterface({ input: child.stderr })) {
      const address = /^ {2}(http\S+)$/.exec(line)?.[1];
      if (address !== undefined) await user(address);
    }
  }
  return { code: await ended, printed };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

verifies(
  'login:commands',
  'a user logs in, uses the tools after a restart, and logs out',
  async () => {
    const home = await setUp();
    const { exai, emulator, daemon } = home;
    await expect
      .poll(async () => (await exai(['servers', 'list'])).stdout)
      .toContain('needs login (exai servers login notes)');
    expect((await exai(['doctor'])).stdout).toContain('exai servers login notes');
    expect((await exai(['status'])).stdout).toContain('exai servers login notes');
    const connections = await exai(['call', 'manage_connections']);
    expect(connections.stdout).toContain('exai servers login notes');

    const unknown = { code: 4, stderr: expect.stringContaining('exai servers login notes') };
    expect(await exai(['call', 'mcp__notes__whoami'])).toMatchObject(unknown);
    for (const wrapper of ['call_tool', 'call_tool_write'])
      expect(await exai(['call', wrapper, 'name=mcp__notes__whoami'])).toMatchObject(unknown);
    expect(await exai(['call', 'get_tool_schemas', 'names=mcp__notes__whoami'])).toMatchObject(
      unknown,
    );
    for (const search of ['query=whoami', 'servers=notes']) {
      const { stdout, stderr } = await exai(['call', 'search_tools', search]);
      expect(stdout + stderr).toContain('exai servers login notes');
    }

    const login = await logIn(home, async (address) => {
      const page = await browse(address);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('logged in')]);
    });
    expect([login.code, JSON.parse(login.printed)]).toEqual([0, { logged_in: 'notes', tools: 2 }]);
    expect((await exai(['call', 'mcp__notes__whoami'])).stdout).toContain('notes:read');
    expect((await exai(['servers', 'list'])).stdout).toContain('connected, logged in, 2 tools');

    daemon.kill('SIGTERM');
    await daemon.ended;
    const [file = ''] = filesBelow(home.path('data/logins'));
    chmodSync(file, 0o644);
    await home.serve();
    emulator.fault({ id: 'F25.expired', vendor: 'oauth', path: '/mcp' });
    expect((await exai(['call', 'mcp__notes__whoami'])).stdout).toContain('notes:read');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);

    const out = await exai(['servers', 'logout', 'notes']);
    expect(out.stdout).toContain('has revoked the tokens');
    const after = await exai(['call', 'mcp__notes__whoami']);
    expect([after.code, after.stderr]).toEqual([4, expect.stringContaining('servers login notes')]);
  },
);

verifies('login:files', 'tokens are in one file of the user and nowhere else', async () => {
  const home = await setUp();
  const { exai, path, emulator } = home;
  let answered = '';
  await logIn(home, async (address) => {
    answered = (await browse(address)).url;
  });
  emulator.fault({ id: 'F25.expired', vendor: 'oauth', path: '/mcp' });
  await exai(['call', 'mcp__notes__whoami']);
  const [file = '', ...others] = filesBelow(path('data/logins'));
  expect(others).toEqual([]);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as {
    tokens: { accessToken: string; refreshToken: string };
  };
  const { searchParams } = new URL(answered);
  const secrets = [tokens.accessToken, tokens.refreshToken, searchParams.get('code') ?? ''];
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);
  const printed = [
    await exai(['servers', 'show', 'notes', '--json']),
    await exai(['config', 'show', '--json']),
    await exai(['call', 'mcp__notes__whoami', '--json']),
    await exai(['logs']),
  ].map(({ stdout, stderr }) => stdout + stderr);
  await exai(['backup', path('copy.zip')]);
  const elsewhere = filesBelow(path('.'))
    .filter((each) => each !== file && !each.endsWith('.sock'))
    .map((each) => readFileSync(each, 'latin1'));
  for (const secret of secrets) {
    for (const text of [...printed, ...elsewhere]) expect(text).not.toContain(secret);
  }
});

verifies('login:callback', 'the address for browsers takes nothing but the answer', async () => {
  const home = await setUp();
  const base = `${home.daemon.url}/oauth/callback`;
  const status = async (url: string, sent: Record<string, string> = {}, method = 'GET') => {
    const response = await get(url, sent, method);
    const { headers } = response;
    expect(headers.location).toBeUndefined();
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(response.body).not.toContain('<script');
    return response.status;
  };
  expect(await status(base)).toBe(400);
  expect(await status(`${base}?state=x&code=%3Cscript%3E&error=x`)).toBe(400);
  expect(await status(`${base}?state=${'x'.repeat(10_000)}`)).toBe(400);
  expect(await status(base, {}, 'POST')).toBe(405);
  expect(await status(`${base}?next=https://evil.example&redirect_uri=https://evil.example`)).toBe(
    400,
  );
  await logIn(home, async (address) => {
    const asked = await fetch(address, { redirect: 'manual' });
    const url = asked.headers.get('location') ?? '';
    // A page of another site, in a frame or by a script, and a rebound name.
    expect(await status(url, { origin: 'https://evil.example' })).toBe(403);
    const framed = { ...FROM_ANOTHER_SITE, 'sec-fetch-dest': 'iframe' };
    expect(await status(url, framed)).toBe(403);
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect(await status(url, image)).toBe(403);
    expect(await status(url.replace('127.0.0.1', 'localhost'))).toBe(400);
    expect(await status(url, FROM_ANOTHER_SITE)).toBe(200);
    expect(await status(url, FROM_ANOTHER_SITE)).toBe(400);
  });
  expect((await home.exai(['call', 'mcp__notes__whoami'])).code).toBe(0);
});

verifies('login:commands', 'the address that a browser cannot open is given by hand', async () => {
  const home = await setUp();
  const { code } = await logIn(home, async (address) => {
    const asked = await fetch(address, { redirect: 'manual' });
    const url = asked.headers.get('location') ?? '';
    const wrong = await home.exai(['servers', 'login', 'notes', '--answer', 'http://127.0.0.1/x']);
    expect(wrong.code).toBe(3);
    const given = await home.exai(['servers', 'login', 'notes', '--answer', url]);
    expect([given.code, given.stderr]).toEqual([0, '']);
  });
  expect(code).toBe(0);
});

async function connectClient(home: Home, era: 'legacy' | 'modern') {
  const visited: string[] = [];
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const url = 'url' in params ? String(params.url) : '';
    visited.push(url);
    await browse(url);
    return { action: 'accept' };
  });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const at = new URL(`${home.daemon.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return { client, visited };
}

verifies(
  'login:call',
  'a call asks its user to log in, and continues; more scopes are asked for the same way',
  async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const home = await setUp();
      // The tools are known from an earlier login.
      await logIn(home, browse);
      await home.exai(['servers', 'logout', 'notes']);
      const { client, visited } = await connectClient(home, era);
      const call = (name: string) =>
        client.callTool({ name: 'call_tool_write', arguments: { name, arguments: {} } });
      expect(JSON.stringify(await call('mcp__notes__whoami'))).toContain('notes:read');
      expect(visited).toHaveLength(1);
      expect(JSON.stringify(await call('mcp__notes__write_note'))).toContain('notes:write');
      expect(visited).toHaveLength(2);
    }
  },
);
