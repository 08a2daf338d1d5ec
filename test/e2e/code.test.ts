import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, createPlainHome, finished, start } from './exai.ts';

/** A program that prints what it was started with, and ends as its first argument says. */
const FAKE = `#!${process.execPath}
const [how, value] = process.argv.slice(2);
if (how === 'exit') process.exit(Number(value));
if (how === 'die') process.kill(process.pid, value);
if (how === 'wait') {
  process.on('SIGTERM', () => { console.log('got SIGTERM'); process.exit(7); });
  process.on('SIGINT', () => { console.log('got SIGINT'); process.exit(8); });
  console.log('waiting');
  setInterval(() => {}, 1_000_000);
}
if (how === 'token') {
  console.log(process.env.ANTHROPIC_BASE_URL + ' ' + process.env.ANTHROPIC_AUTH_TOKEN);
  setInterval(() => {}, 1_000_000);
}
if (how === 'show') {
  process.stdin.on('data', (chunk) => process.stdout.write('read ' + chunk));
  process.stdin.on('end', () => console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env })));
}
if (how === 'ask') {
  const { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_MODEL: model } = process.env;
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: value }] };
  fetch(url + '/v1/messages', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(async (answer) => console.log(answer.status, (await answer.json()).content[0].text));
}
`;

/** A home whose PATH has these programs alone. */
function place(programs: readonly string[], home = createHome()) {
  const bin = home.path('bin');
  mkdirSync(bin);
  for (const name of programs) {
    writeFileSync(join(bin, name), FAKE);
    chmodSync(join(bin, name), 0o755);
  }
  onTestFinished(async () => {
    await home.exai(['stop']);
  });
  const env = { EXAI_PORT: '0', PATH: [bin, '/nonexistent'].join(delimiter) };
  return { ...home, bin, env };
}

verifies(
  'code:starts',
  'the tool is started with the variables of the gateway, and asks it',
  async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const { exai, env, path } = place(['claude'], createPlainHome());
    const keys = {
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.key0002',
    };
    const asked = await exai(['code', 'claude', 'ask', 'Say exactly: nine ships'], {
      env: { ...env, ...keys, ANTHROPIC_API_KEY: 'sk-ant-other', CLAUDE_CODE_USE_BEDROCK: '1' },
    });
    expect(asked).toEqual({ code: 0, stdout: '200 nine ships\n', stderr: '' });

    const shown = await exai(
      ['code', '--model', 'auto', 'claude', 'show', '--json', '-x', ' a b'],
      {
        env: { ...env, ANTHROPIC_API_KEY: 'sk-ant-other', KEPT: 'yes' },
        input: 'words',
      },
    );
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toMatch(/^read words/);
    const seen = JSON.parse(shown.stdout.slice('read words'.length)) as {
      args: string[];
      env: Record<string, string>;
    };
    expect(seen.args).toEqual(['show', '--json', '-x', ' a b']);
    expect(seen.env).toMatchObject({
      ANTHROPIC_MODEL: 'auto',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      KEPT: 'yes',
    });
    expect(seen.env).not.toHaveProperty('ANTHROPIC_API_KEY');
    const token = (await exai(['token', 'show'])).stdout.trim();
    expect(Object.values(seen.env)).not.toContain(token);

    const dry = await exai(['code', 'claude', '--dry-run', '-p', 'hi'], { env });
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(`${path('bin', 'claude')} "-p" "hi"`);
    expect(dry.stdout).toContain('ANTHROPIC_AUTH_TOKEN');
    const json = await exai(['code', 'claude', '--dry-run', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ tool: 'claude', daemon: 'running', args: [] });
    for (const { stdout, stderr } of [dry, json]) expect(stdout + stderr).not.toContain(token);
  },
);

verifies(
  'code:token',
  'the tool gets a token that only the gateway accepts, that a new daemon knows, and that ends with the tool',
  async () => {
    const home = place(['claude'], createPlainHome());
    const { root, exai, env } = home;
    expect((await exai(['start'], { env })).code).toBe(0);
    const child = start(root, ['code', 'claude', 'token'], { env });
    let stdout = '';
    child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
    const ended = finished(child);
    await expect.poll(() => stdout).toContain('\n');
    const [first = '', token = ''] = stdout.trim().split(' ');
    const authorization = `Bearer ${token}`;
    const models = async (url: string) =>
      (await fetch(`${url}/v1/models`, { headers: { authorization } })).status;
    expect(await models(first)).toBe(200);
    // The store is reported to the owner alone.
    const ready = await fetch(`${first}/readyz`, { headers: { authorization } });
    expect(await ready.json()).not.toHaveProperty('store');
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${first}/mcp`), {
        requestInit: { headers: { authorization } },
      }),
    );
    expect((await client.listTools()).tools).toEqual([]);
    expect((await client.callTool({ name: 'version' })).isError).toBe(true);
    await client.close();
    // Not the owner's over the socket file either.
    const refused = await exai(['ask', 'hello'], { env: { ...env, EXAI_TOKEN: token } });
    expect(refused.code).not.toBe(0);

    expect((await exai(['restart'], { env })).code).toBe(0);
    const { url } = JSON.parse((await exai(['status', '--json'], { env })).stdout) as {
      url: string;
    };
    await expect.poll(() => models(url)).toBe(200);
    child.kill('SIGTERM');
    await ended;
    expect(await models(url)).toBe(401);
  },
);

verifies('code:exit', 'exit codes and signals pass through', async () => {
  const { root, exai, env } = place(['claude', 'opencode']);
  expect((await exai(['code', 'opencode', 'exit', '42'], { env })).code).toBe(42);
  expect((await exai(['code', 'opencode', '--', 'exit', '3'], { env })).code).toBe(3);
  expect((await exai(['code', 'claude', 'die', 'SIGKILL'], { env })).code).toBe(137);
  for (const [signal, code] of [
    ['SIGTERM', 7],
    ['SIGINT', 8],
  ] as const) {
    const child = start(root, ['code', 'claude', 'wait'], { env });
    let stdout = '';
    child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
    const ended = finished(child);
    await expect.poll(() => stdout).toContain('waiting');
    child.kill(signal);
    expect(await ended).toMatchObject({ code, stdout: `waiting\ngot ${signal}\n` });
  }
});

test('without a name the tool that is installed is started, Claude Code first', async () => {
  const both = place(['claude', 'opencode']);
  const chosen = await both.exai(['start'], { env: both.env });
  expect(chosen.code).toBe(0);
  const first = await both.exai(['code', '--dry-run', '--json'], { env: both.env });
  expect(JSON.parse(first.stdout)).toMatchObject({ tool: 'claude' });
  const env = { ...both.env, PATH: place(['opencode']).bin };
  const other = await both.exai(['code', '--dry-run', '--json'], { env });
  expect(JSON.parse(other.stdout)).toMatchObject({ tool: 'opencode' });
});

verifies(
  'code:missing',
  'a tool that is missing or cannot use the gateway is refused with the command that helps, and no daemon starts',
  async () => {
    const { exai, env } = place([]);
    const rows = [
      [[], 22, 'Claude Code, opencode', 'npm install --global @anthropic-ai/claude-code'],
      [['claude'], 22, 'Claude Code is not installed', '@anthropic-ai/claude-code'],
      [['opencode'], 22, 'opencode is not installed', 'opencode-ai'],
      [['codex'], 22, 'Codex is not installed', '@openai/codex'],
      [['gemini'], 2, 'Gemini API', 'exai init gemini-cli'],
      [['claud'], 2, 'did you mean "claude"', 'claude or opencode or codex'],
    ] as const;
    for (const [args, code, message, fix] of rows) {
      const refused = await exai(['code', ...args], { env });
      expect([refused.code, refused.stdout]).toEqual([code, '']);
      expect(refused.stderr).toContain(message);
      expect(refused.stderr).toContain(fix);
    }
    expect((await exai(['status'])).stdout).toContain('not running');
  },
);

test('--json needs --dry-run, and EXAI_AUTOSTART=off starts nothing', async () => {
  const { exai, env } = place(['claude']);
  const json = await exai(['code', '--json', 'claude'], { env });
  expect(json.code).toBe(2);
  const off = { ...env, EXAI_PORT: '8899', EXAI_AUTOSTART: 'off' };
  const refused = await exai(['code', 'claude', 'exit', '0'], { env: off });
  expect(refused.stderr).toContain('fix: exai start');
  expect(refused.code).not.toBe(0);
});

verifies('code:starts', 'Codex gets options, and the key in a variable', async () => {
  const { exai, env } = place(['codex'], createPlainHome());
  expect((await exai(['start'], { env })).code).toBe(0);
  const { code, stdout } = await exai(['code', 'codex', '--dry-run', '--json', 'exec', 'Go'], {
    env,
  });
  expect(code).toBe(0);
  const { args, variables } = JSON.parse(stdout) as {
    args: string[];
    variables: { name: string; value: string }[];
  };
  expect(args.slice(-2)).toEqual(['exec', 'Go']);
  expect(args).toContain('model_provider="exai"');
  expect(args.at(-3)).toMatch(
    /^model_providers\.exai=\{ .*wire_api = "responses", env_key = "GATEWAY_KEY" \}$/,
  );
  expect(variables).toEqual([{ name: 'GATEWAY_KEY', value: '********' }]);
});
