import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, createPlainHome } from './exai.ts';
import { startShim } from './shim-client.ts';

const KEY = 'emulated.secret0002';
const QUESTION = ['ask', 'What is a monad?'];

async function startVendor() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  return { emulator, env: { GLM_API_URL: `${emulator.url}/glm/api/paas/v4` } };
}

type TestHome = ReturnType<typeof createHome>;

function logsOf({ path }: Pick<TestHome, 'path'>): string {
  const names = readdirSync(path('logs'));
  return names.map((name) => readFileSync(path('logs', name), 'utf8')).join('\n');
}

function eventsOf(home: Pick<TestHome, 'path'>, event: string): Record<string, unknown>[] {
  return readFileSync(home.path('logs', 'daemon.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

verifies(
  'reload:keys',
  'ask without a key, add the key from a pipe, ask: the model answers, and removing it ends that',
  async () => {
    const { env } = await startVendor();
    const home = createHome();
    const { exai } = home;
    await home.serve([], { env });
    const before = await exai(QUESTION);
    expect(before.code).toBe(22);
    expect(before.stderr).toContain('exai keys add glm');

    const added = await exai(['keys', 'add', 'glm'], { input: `${KEY}\n`, env });
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toContain('It is in effect in the running daemon.');
    expect(added.stdout).not.toMatch(/exai stop|restart/i);

    const after = await exai(QUESTION);
    expect(after.code).toBe(0);
    expect(after.stderr).toContain('(glm)');

    // Another key for the same provider takes its place; neither is ever in a log.
    await exai(['keys', 'add', 'glm'], { input: 'other.secret0077\n', env });
    const removed = await exai(['keys', 'remove', 'glm']);
    expect(removed.stdout).toContain('The running daemon no longer uses it.');
    expect((await exai(QUESTION)).code).toBe(22);
    const doctor = await exai(['doctor', '--json'], { env });
    expect(doctor.stdout).not.toContain('older_settings');
    expect(logsOf(home)).not.toMatch(/secret0002|secret0077/);
  },
);

verifies('reload:record', 'the log and the audit name what a reload changed', async () => {
  const { env } = await startVendor();
  const home = createHome();
  await home.serve([], { env });
  await home.exai(['keys', 'add', 'glm'], { input: `${KEY}\n`, env });
  expect(eventsOf(home, 'settings_reloaded')).toMatchObject([
    { by: 'unix', applied: ['providers.glm.apiKey'], restart: [] },
  ]);
  const { stdout } = await home.exai(['call', 'activity', 'lines=100', '--json']);
  expect(stdout).toContain('config_reload:providers.glm.apiKey');
  expect(stdout).not.toContain('secret0002');
});

verifies('config:commands', 'settings are read, changed, removed and reloaded', async () => {
  const home = createHome();
  const { exai, path } = home;
  const original = '{\n    "timezone": "UTC",   "results": {"maxTokens": 2000}\n}\n';
  writeFileSync(path('config.json'), original, { mode: 0o600 });
  await home.serve();
  expect((await exai(['config', 'get', 'tools.profile'])).stdout).toBe('lean\n');
  const count = async () =>
    (JSON.parse((await exai(['tools', '--json'])).stdout) as { tools: unknown[] }).tools.length;
  const lean = await count();
  const instructions = async () => {
    const client = startShim(home.root);
    const { result } = await client.initialize();
    await client.end();
    return result?.['instructions'];
  };
  expect(await instructions()).toContain('more tools than the list shows');

  const set = await exai(['config', 'set', 'tools.profile', 'full', '--json']);
  expect(set.code).toBe(0);
  expect(JSON.parse(set.stdout)).toMatchObject({
    set: 'tools.profile',
    value: 'full',
    reload: { is: 'reloaded', applied: ['tools.profile'], restart: [] },
  });
  expect(await count()).toBeGreaterThan(lean);
  // A client that connects now gets the instructions that fit its list.
  expect(await instructions()).not.toContain('more tools than the list shows');
  expect(readFileSync(path('config.json'), 'utf8')).toContain(
    '"timezone": "UTC",   "results": {"maxTokens": 2000}',
  );
  const port = await exai(['config', 'set', 'port', '4242']);
  // The daemon has the flag --port, which counts more.
  expect(port.stdout).toContain('The running daemon has another value, from --port.');
  const host = await exai(['config', 'set', 'host', 'localhost']);
  expect(host.stdout).toContain('Restart needed: exai restart');
  const reload = await exai(['config', 'reload', '--json']);
  expect(JSON.parse(reload.stdout)).toMatchObject({
    is: 'reloaded',
    applied: [],
    restart: [{ path: 'host', reason: 'listener' }],
  });

  const shown = await exai(['config', 'show', '--changed', '--json']);
  const { settings } = JSON.parse(shown.stdout) as { settings: { path: string }[] };
  const paths = settings.map((each) => each.path);
  expect(paths).toEqual(expect.arrayContaining(['host', 'port', 'timezone', 'tools.profile']));
  expect(paths).not.toContain('limits.global');

  for (const name of ['tools.profile', 'port', 'host']) {
    expect((await exai(['config', 'unset', name])).code).toBe(0);
  }
  expect(readFileSync(path('config.json'), 'utf8')).toBe(original);
  expect(await count()).toBe(lean);
  expect((await exai(['config', 'unset', 'host'])).code).toBe(6);
  const byVariable = await exai(['config', 'set', 'GLM_API_URL', 'http://127.0.0.1:9/v4']);
  expect(byVariable.stdout).toContain('Set providers.glm.baseUrl to "http://127.0.0.1:9/v4"');
  expect((await exai(['config', 'unset', 'GLM_API_URL'])).code).toBe(0);
  for (const name of ['get', 'set', 'unset', 'reload', 'show'])
    expect((await exai(['config', name, '--help'])).code).toBe(0);
});

verifies(
  'config:set-safe',
  'secrets and invalid values are refused, and nothing is written',
  async () => {
    const { exai, path } = createHome();
    const original = '{ "limits": { "global": 5 } }';
    writeFileSync(path('config.json'), original, { mode: 0o600 });
    const rows: readonly (readonly [string, string, string])[] = [
      ['limits.global', 'many', 'must be a whole number from 1 to 10000'],
      ['limits.global', '0', 'must be a whole number from 1 to 10000'],
      ['limits.globl', '3', 'did you mean "limits.global"?'],
      ['limits', '3', 'is a section, not a setting'],
      ['__proto__', '3', 'is not a setting'],
      ['tools.profile', 'huge', 'must be one of lean, standard, full'],
      ['providers.glm.apiKey', 'sk-secret-0123456789', 'exai keys add glm'],
      ['token', 'abcdefghijklmnopqrstuv', 'exai token rotate'],
      ['database', 'postgres://me:hunter2hunter2@db/x', 'EXAI_DATABASE_URL'],
      // What stands beside a reference may be a secret, too.
      ['providers.glm.apiKey', 'sk-secret-0123456789${X}', 'exai keys add glm'],
      ['database', 'postgres://me:hunter2hunter2${X}@db/x', 'EXAI_DATABASE_URL'],
      // With a variable that is not set, no command and no daemon would start.
      [
        'timezone',
        '${EXAI_TEST_NONE}',
        'refers to the variable "EXAI_TEST_NONE", which is not set',
      ],
      ['tools.disabled', '["${EXAI_TEST_NONE}"]', 'which is not set'],
      ['timezone', '${UTC', 'has a ${ that names no variable'],
      ['limits.global', '${HOME}', 'must be a whole number from 1 to 10000'],
    ];
    for (const [setting, value, message] of rows) {
      const { code, stderr, stdout } = await exai(['config', 'set', setting, value]);
      expect([setting, code]).toEqual([setting, 3]);
      expect(stderr).toContain(message);
      expect(stderr + stdout).not.toMatch(/sk-secret|hunter2/);
    }
    expect(readFileSync(path('config.json'), 'utf8')).toBe(original);

    writeFileSync(path('config.json'), '{ "limits": ', { mode: 0o600 });
    const broken = await exai(['config', 'set', 'limits.global', '7']);
    expect([broken.code, readFileSync(path('config.json'), 'utf8')]).toEqual([3, '{ "limits": ']);
  },
);

verifies(
  'reload:invalid',
  'invalid settings change nothing, and their place is named',
  async () => {
    const { env } = await startVendor();
    const home = createHome();
    const { exai, path } = home;
    const daemon = await home.serve([], { env });
    await exai(['keys', 'add', 'glm'], { input: `${KEY}\n`, env });
    writeFileSync(
      path('config.json'),
      '{\n  "limits": { "global": "many" },\n  "tools": { "profile": "full" }\n}',
    );
    const { code, stderr } = await exai(['config', 'reload']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/limits\.global must be a whole number.*config\.json:2:\d+/);
    daemon.kill('SIGHUP');
    await expect.poll(() => eventsOf(home, 'settings_not_reloaded')).toHaveLength(2);
    expect((await exai(['ask', 'Still there?'])).code).toBe(0);
    // A network that cannot be built is refused as a whole, too.
    writeFileSync(
      path('config.json'),
      '{ "network": { "caFile": "/nowhere.pem" }, "tools": { "profile": "full" } }',
    );
    expect((await exai(['config', 'reload'])).stderr).toContain('network.caFile');
    expect((await exai(['ask', 'Still there?'])).code).toBe(0);
    expect((await exai(['status', '--json'])).code).toBe(0);
  },
);

verifies('reload:signal', 'a storm of signals reloads, and the daemon goes on', async () => {
  const home = createHome();
  const { exai, path } = home;
  const daemon = await home.serve();
  writeFileSync(path('config.json'), '{ "tools": { "profile": "full" } }', { mode: 0o600 });
  for (let signals = 0; signals < 200; signals++) daemon.kill('SIGHUP');
  await expect
    .poll(() => eventsOf(home, 'settings_reloaded').flatMap((line) => line['applied']))
    .toEqual(['tools.profile']);
  const status = JSON.parse((await exai(['status', '--json'])).stdout) as { pid: number };
  expect(status.pid).toBe(daemon.pid);
});

verifies('reload:owner', 'a client with a token of its own cannot reload', async () => {
  const home = createPlainHome();
  const { exai } = home;
  const { url } = await home.serve();
  const added = await exai(['access', 'add', 'ci', '--scopes', '*', '--json']);
  const { token } = JSON.parse(added.stdout) as { token: string };
  const body = { jsonrpc: '2.0', id: 1, method: 'exai/config/reload', params: {} };
  for (const bearer of [token, 'x'.repeat(40), '']) {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    });
    expect(await response.text()).not.toContain('"applied"');
  }
  expect(eventsOf(home, 'settings_reloaded')).toEqual([]);
});

verifies('keys:other-vendors', 'keys of other vendors are named and never used', async () => {
  const { emulator, env } = await startVendor();
  const home = createHome();
  await home.serve([], { env });
  const others = { OPENAI_API_KEY: 'sk-openai-0123456789', DEEPSEEK_API_KEY: 'sk-deep-0123456789' };
  const asked = await home.exai(QUESTION, { env: others });
  expect(asked.code).toBe(22);
  expect(asked.stderr).toContain('OPENAI_API_KEY (OpenAI), DEEPSEEK_API_KEY (DeepSeek)');
  const doctor = await home.exai(['doctor'], { env: { ...env, ...others } });
  expect(doctor.stdout).toContain('OPENAI_API_KEY (OpenAI)');
  expect(asked.stderr + doctor.stdout + JSON.stringify(emulator.requests())).not.toMatch(
    /sk-openai|sk-deep/,
  );
});

verifies('config:applies', 'a sample of settings takes effect without a restart', async () => {
  const { env } = await startVendor();
  const home = createHome();
  const { exai, path } = home;
  const { pid, url } = await home.serve([], { env: { ...env, GLM_API_KEY: KEY } });
  const configure = async (settings: object) => {
    writeFileSync(path('config.json'), JSON.stringify(settings), { mode: 0o600 });
    expect((await exai(['config', 'reload'])).code).toBe(0);
  };
  expect((await exai(['call', 'version'])).code).toBe(0);
  await configure({ tools: { disabled: ['version'] } });
  expect((await exai(['call', 'version'])).code).toBe(6);

  await configure({ models: { deny: { glm: ['*'] } } });
  expect((await exai(QUESTION)).code).toBe(22);
  await configure({ timezone: 'Asia/Kathmandu', location: 'Here' });
  expect((await exai(QUESTION)).code).toBe(0);
  const lines = readFileSync(path('logs', 'daemon.jsonl'), 'utf8').trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as { timestamp_local: string };
  expect(last.timestamp_local).toContain('GMT+5:45');

  const models = async (model: string) => {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
  expect(await models('my-own-name')).toBe(404);
  await configure({ gateway: { models: ['my-*=auto'] } });
  expect(await models('my-own-name')).toBe(200);
  await configure({ budget: { dailyUsd: 1 } });
  expect((await exai(['call', 'status'])).stdout).toContain('$1.00');
  const { stdout } = await exai(['status', '--json']);
  expect((JSON.parse(stdout) as { pid: number }).pid).toBe(pid);
});
