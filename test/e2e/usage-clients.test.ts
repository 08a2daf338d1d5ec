import { once } from 'node:events';
import { WebSocket } from 'ws';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { CHAT, MESSAGES, post } from './gateway-post.ts';
import { startShim } from './shim-client.ts';

interface Report {
  readonly rows: readonly { client: string; principal: string; requests: number }[];
}

const HOSTILE = `\u202eevil\u001b[2J\n${'x'.repeat(5000)}`;

async function started() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
  };
  const { url } = await home.serve([], { env });
  return { ...home, url };
}

/** Asks once over an EXAI socket whose hello names `client`. */
async function askOverFrames(url: string, client: unknown): Promise<void> {
  const ws = new WebSocket(url.replace('http', 'ws'));
  onTestFinished(() => ws.terminate());
  const answered = new Promise<void>((resolve) => {
    ws.on('message', (data: Buffer) => {
      if ((JSON.parse(data.toString()) as { op: string }).op === 'call_tool_res') resolve();
    });
  });
  await once(ws, 'open');
  ws.send(JSON.stringify({ op: 'hello', client }));
  const args = { prompt: 'Say exactly: frames', model: 'kimi-k3' };
  ws.send(JSON.stringify({ op: 'call_tool', request_id: 'r', name: 'chat', arguments: args }));
  await answered;
}

async function askThroughShim(root: string, clientInfo: object): Promise<void> {
  const shim = startShim(root);
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  expect((await shim.request('initialize', opening)).result).toBeDefined();
  const args = { prompt: 'Say exactly: shim', model: 'kimi-k3' };
  await shim.request('tools/call', { name: 'chat', arguments: args });
  await shim.end();
}

verifies(
  'usage:clients',
  'usage, activity and the log name the program behind every transport',
  async () => {
    const { root, exai, url } = await started();
    await askThroughShim(root, { name: 'claude-code', version: '2.1.197' });
    await askOverFrames(url, { name: 'panel', version: '3' });
    const messages = [{ role: 'user', content: 'Say exactly: hello' }];
    const body = { model: 'kimi-k3', max_tokens: 100, messages };
    for (const [path, agent] of [
      [CHAT, 'OpenAI/JS 6.1.0'],
      [MESSAGES, 'claude-cli/2.1.197 (external, cli)'],
      [CHAT, 'curl/8.5.0'],
    ] as const) {
      const headers = { 'user-agent': agent };
      const { status } = await post(`${url}${path}`, { body: JSON.stringify(body), headers });
      expect(status).toBe(200);
    }
    const prompt = 'Say exactly: line';
    expect((await exai(['ask', '--model', 'kimi-k3', prompt])).code).toBe(0);

    const report = await exai(['usage', '--by', 'client', '--json']);
    const { rows } = JSON.parse(report.stdout) as Report;
    const names = ['OpenAI/JS', 'claude-cli', 'claude-code', 'curl', 'exai-cli', 'panel'];
    expect(rows.map(({ client }) => client).toSorted()).toEqual(names);
    expect(rows.every(({ principal }) => principal === 'local')).toBe(true);
    const table = await exai(['usage', '--by', 'client']);
    expect(table.stdout).toMatch(/^client +access +requests/m);
    expect(table.stdout).toMatch(/^claude-code +owner +1 /m);

    const activity = await exai(['call', 'activity', 'lines=100']);
    for (const name of names) expect(activity.stdout).toContain(`local with ${name} by `);
    const { stdout: log } = await exai(['logs']);
    for (const name of names) {
      expect(log).toMatch(new RegExp(`call_ended .*\\bclient=${name} `));
    }
    expect((await exai(['audit', 'verify'])).code).toBe(0);
  },
);

verifies('usage:clients', 'a hostile name is cut and cleaned, and gives no access', async () => {
  const { root, exai, url } = await started();
  await askThroughShim(root, { name: HOSTILE, version: HOSTILE });
  for (const client of [HOSTILE, 7, [], { name: { toString: 1 } }, null]) {
    await askOverFrames(url, client);
  }
  const { stdout } = await exai(['usage', '--by', 'client', '--json']);
  const { rows } = JSON.parse(stdout) as Report;
  const [named, unnamed] = rows.toSorted((a, b) => b.client.length - a.client.length);
  expect(named).toMatchObject({ requests: 2, client: expect.stringMatching(/^evil \[2J x+…$/) });
  expect(named?.client).toHaveLength(64);
  expect(unnamed).toMatchObject({ requests: 4, client: '' });
  expect((await exai(['usage', '--by', 'client'])).stdout).toMatch(/^unknown +owner +4 /m);

  const token = (await exai(['access', 'add', 'reader', '--scope', 'read:version'])).stdout;
  const authorization = `Bearer ${token.trim().split(/\s+/).at(-1)}`;
  const headers = { authorization, 'user-agent': 'exai-cli/0.2.0' };
  const body = JSON.stringify({ model: 'kimi-k3', messages: [{ role: 'user', content: 'Hi' }] });
  expect((await post(`${url}${CHAT}`, { body, headers })).status).toBe(403);
});
