import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, createPlainHome, type RunOptions } from './exai.ts';

/** A server that takes requests and never answers. */
async function silentServer(): Promise<{ readonly url: string }> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A home whose default port no other process on this machine uses. */
function createDoctorHome(): ReturnType<typeof createPlainHome> {
  const home = createPlainHome();
  const anyPort = (options: RunOptions = {}): RunOptions => ({
    ...options,
    env: { EXAI_PORT: '0', ...options.env },
  });
  return {
    ...home,
    exai: (args, options) => home.exai(args, anyPort(options)),
    serve: (args, options) => home.serve(args, anyPort(options)),
  };
}

verifies(
  'cli:doctor',
  'without keys it says what works, what one would add, and the next command',
  async () => {
    const { exai } = createDoctorHome();
    const { code, stdout } = await exai(['doctor'], { env: { LANG: 'C.UTF-8' } });
    expect(code).toBe(22);
    expect(stdout).toMatch(/^✓ +Node\.js/m);
    expect(stdout).toMatch(/^– +Kimi.*exai keys add kimi$/m);
    expect(stdout).toContain('no model can be asked without a key');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('Next: exai keys add glm');

    const ascii = await exai(['doctor'], { env: { LANG: 'C' } });
    // eslint-disable-next-line no-control-regex -- all of ASCII is meant
    expect(ascii.stdout).toMatch(/^[\x00-\x7F]*$/);
  },
);

interface Report {
  readonly checks: readonly { id: string; status: string; detail: string; fix?: string }[];
  readonly summary: string;
  readonly next: string;
  readonly answers: string;
}

function reportOf({ stdout }: { readonly stdout: string }): Report {
  return JSON.parse(stdout) as Report;
}

/** The vendors of the emulator, with keys that they accept. */
async function withEmulator() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const addresses = {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
  };
  const keys = { KIMI_API_KEY: 'sk-emulated-kimi-0001', GLM_API_KEY: 'emulated.secret0002' };
  return { emulator, addresses, keys, env: { ...addresses, ...keys } };
}

verifies('cli:doctor', 'with a daemon and a key it finds nothing to mend', async () => {
  const { exai, serve } = createDoctorHome();
  const { addresses, keys } = await withEmulator();
  const env = { ...addresses, GLM_API_KEY: keys.GLM_API_KEY };
  const daemon = await serve([], { env });
  const answer = await exai(['doctor', '--json'], { env });
  const { checks, next, answers } = reportOf(answer);
  const status = Object.fromEntries(checks.map((check) => [check.id, check.status]));
  expect(status).toMatchObject({ daemon: 'ok', store: 'ok', key_glm: 'ok', key_kimi: 'off' });
  expect(status).not.toHaveProperty('port');
  expect(status).not.toHaveProperty('older_settings');
  expect([answer.code, next, answers]).toEqual([0, 'exai ask "What is a monad?"', 'yes']);
  expect(answer.stdout).toContain(daemon.url);
  expect(answer.stdout).not.toContain('secret0002');
});

verifies(
  'doctor:asks',
  'each provider is asked: a refused key and an unpaid account are told apart, with what helps',
  async () => {
    const { emulator, env } = await withEmulator();
    const { exai } = createDoctorHome();
    emulator.fault({ id: 'F16', vendor: 'kimi', times: 0 });
    const one = await exai(['doctor'], { env });
    expect(one.code).toBe(0);
    expect(one.stdout).toMatch(/^! +Kimi .*KIMI_API_KEY/m);
    expect(one.stdout).toMatch(/^ok +GLM .*GLM_API_KEY/m);
    expect(one.stdout).toContain('look at: Kimi');

    emulator.fault({ id: 'F2', vendor: 'glm', times: 0 });
    const two = await exai(['doctor'], { env });
    expect(two.code).toBe(22);
    expect(two.stdout).toMatch(/^! +GLM .* -> Top it up .*exai keys test glm$/m);
    expect(two.stdout).toContain('no model can answer; look at: Kimi');
    expect(two.stdout).not.toContain('Everything that is set up works');
  },
);

verifies(
  'doctor:asks',
  'a host that accepts connections and never answers ends in 3 s',
  async () => {
    const { url } = await silentServer();
    const { exai } = createDoctorHome();
    const env = {
      GLM_API_KEY: 'emulated.secret0002',
      GLM_API_URL: url,
      KIMI_API_KEY: 'sk-kimi',
      KIMI_API_URL: url,
    };
    const { code, stdout } = await exai(['doctor'], { env });
    expect(code).toBe(22);
    expect(stdout.match(/did not answer within 3 seconds/g)).toHaveLength(2);
  },
);

verifies('doctor:exit', 'it exits with 22 while the only provider cannot be reached', async () => {
  const { exai, serve } = createDoctorHome();
  const env = { GLM_API_KEY: 'emulated.secret0002', GLM_API_URL: 'http://127.0.0.1:9/v4' };
  await serve([], { env });
  const answer = await exai(['doctor', '--json'], { env });
  expect(answer.code).toBe(22);
  const { answers, next, checks } = reportOf(answer);
  expect(answers).toBe('no');
  expect(checks.find(({ id }) => id === 'key_glm')?.status).toBe('warn');
  expect(next).toBe('exai keys test glm');
});

verifies(
  'doctor:older-settings',
  'a key stored since the daemon started is named with the one command',
  async () => {
    const { path, exai, serve } = createDoctorHome();
    const { addresses, keys } = await withEmulator();
    await serve([], { env: addresses });
    writeFileSync(path('.env'), `GLM_API_KEY=${keys.GLM_API_KEY}\nEXAI_TIMEZONE=UTC\n`, {
      mode: 0o600,
    });
    const answer = await exai(['doctor', '--json'], { env: addresses });
    const { checks, answers, next } = reportOf(answer);
    const older = checks.find(({ id }) => id === 'older_settings');
    expect(older?.detail).toMatch(/changed since it loaded them: .*the key of glm/);
    expect(checks.find(({ id }) => id === 'key_glm')).toMatchObject({
      status: 'warn',
      fix: 'exai config reload',
    });
    expect([answer.code, answers, next]).toEqual([22, 'no', 'exai config reload']);
    expect((await exai(['config', 'reload'])).code).toBe(0);
    const after = await exai(['doctor', '--json'], { env: addresses });
    expect([after.code, reportOf(after).answers]).toEqual([0, 'yes']);
  },
);

verifies(
  'keys:lift',
  'an account that was topped up is used again at once after keys test',
  async () => {
    const { emulator, env, addresses } = await withEmulator();
    const { exai, serve } = createDoctorHome();
    const daemon = await serve([], { env });
    const ask = () => exai(['ask', '--json', 'Say exactly: Hello.'], { env });
    emulator.fault({ id: 'F2', vendor: 'glm', times: 0 });
    expect((await ask()).stdout).toContain('"provider": "kimi"');
    emulator.clearFaults();

    const waiting = await exai(['doctor'], { env });
    expect(waiting.stdout).toMatch(/^! +GLM .* refused before -> exai keys test glm$/m);
    // Another key of that provider says nothing about the daemon's.
    const other = { ...addresses, GLM_API_KEY: 'emulated.secret0003' };
    const foreign = await exai(['keys', 'test', 'glm', '--json'], { env: other });
    expect(JSON.parse(foreign.stdout)).toMatchObject({ lifted: [] });
    expect((await ask()).stdout).toContain('"provider": "kimi"');

    const tested = await exai(['keys', 'test', 'glm'], { env });
    expect([tested.code, tested.stderr]).toEqual([0, '']);
    expect(tested.stdout).toContain('Used again at once: glm');
    expect((await ask()).stdout).toContain('"provider": "glm"');
    expect((await exai(['doctor'], { env })).code).toBe(0);

    // The same without a daemon: the next one does not restore the cool-down.
    emulator.fault({ id: 'F2', vendor: 'glm', times: 0 });
    await ask();
    emulator.clearFaults();
    daemon.kill('SIGTERM');
    await daemon.ended;
    const stopped = await exai(['keys', 'test', 'glm', '--json'], { env });
    expect(JSON.parse(stopped.stdout)).toMatchObject({ lifted: ['glm'] });
    await serve([], { env });
    expect((await ask()).stdout).toContain('"provider": "glm"');
  },
);

verifies('cli:doctor', 'a broken configuration or database fails with its fix', async () => {
  const { path, exai } = createDoctorHome();
  mkdirSync(path('data'));
  writeFileSync(path('data', 'exai.db'), 'this is no database, however long it is');
  const damaged = await exai(['doctor', '--json']);
  expect(damaged.code).toBe(22);
  expect(JSON.parse(damaged.stdout)).toMatchObject({
    next: expect.stringContaining('exai restore') as string,
  });

  writeFileSync(path('config.json'), '{ "prot": 1 }');
  const { code, stdout } = await exai(['doctor']);
  expect(code).toBe(22);
  expect(stdout).toContain('did you mean "port"');
});

test('status says it, too, whether a daemon runs or cannot start', async () => {
  const { path, exai, serve } = createDoctorHome();
  const daemon = await serve();
  writeFileSync(path('config.json'), '{ "prot": 1 }');
  const running = await exai(['status']);
  expect([running.code, running.stderr]).toEqual([0, '']);
  expect(running.stdout).toMatch(/settings +broken: .*did you mean "port"\?/);
  daemon.kill('SIGTERM');
  await daemon.ended;
  const { code, stdout } = await exai(['status']);
  expect(code).toBe(6);
  expect(stdout).toMatch(
    /not running[^]*cannot start with these settings: .*did you mean "port"\?/,
  );
  const json = await exai(['status', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    running: false,
    configuration: { class: 'validation', field: 'prot' },
  });
});

test('a setting that the daemon would refuse is found, also in the file that --config names', async () => {
  // Where a token is required, the first start generates one.
  const { path, exai } = createHome();
  writeFileSync(path('team.json'), '{ "host": "0.0.0.0", "timezone": "Australia/Melbourne" }');
  const { code, stdout } = await exai(['doctor', '--config', path('team.json')]);
  expect(code).toBe(22);
  expect(stdout).toContain(path('team.json'));
  expect(stdout).toMatch(/Port +EXAI_HOST is 0\.0\.0\.0, .*no token is set/);
  // In the format of the logs.
  expect(stdout).toMatch(/Melbourne, now \d{4}-\d\d-\d\d \d\d:\d\d:\d\d AE[SD]T$/m);
});

test('a backup is asked for only where there is something to save', async () => {
  const { path, exai, serve } = createDoctorHome();
  const hint = 'exai backup';
  expect((await exai(['doctor'])).stdout).not.toContain(hint);
  await serve();
  expect((await exai(['doctor'])).stdout).toContain(hint);
  expect((await exai(['backup'])).code).toBe(0);
  expect((await exai(['doctor'])).stdout).not.toContain(hint);
  rmSync(path('backups'), { recursive: true });
  expect((await exai(['doctor'])).stdout).toContain(hint);
});

test('for a collector its address is shown, not that anything arrives', async () => {
  const { exai } = createDoctorHome();
  const tracing = async (env: Record<string, string>) =>
    /Tracing +(.*)/.exec((await exai(['doctor'], { env })).stdout)?.[1];
  expect(await tracing({})).toBeUndefined();
  const endpoint = 'http://127.0.0.1:9/otlp';
  expect(await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBe('configured: 127.0.0.1:9');
  expect(await tracing({ LOGFIRE_TOKEN: 'pylf_v1_eu_x' })).toBe('configured: Logfire');
});

test('the way out is looked at: certificates, recordings, proxies and servers of this machine', async () => {
  const { path, exai } = createDoctorHome();
  const doctor = (env: Record<string, string>) => exai(['doctor'], { env });
  const ca = await doctor({ EXAI_CA_FILE: path('missing.pem') });
  expect(ca.code).toBe(22);
  expect(ca.stdout).toMatch(/^x +Network .*missing\.pem" -> .*EXAI_CA_FILE/m);
  expect((await doctor({ EXAI_REPLAY: path('missing') })).code).toBe(22);
  const replay = await doctor({ EXAI_REPLAY: path('.'), GLM_API_KEY: 'emulated.secret0002' });
  expect(replay.code).toBe(0);
  expect(replay.stdout).toContain('answers come from the recordings');
  expect(replay.stdout).toContain('look at: Network.');
  const proxy = await doctor({ HTTPS_PROXY: 'http://me:hunter2@proxy.example:3128' });
  expect(proxy.stdout).toMatch(/^ok +Network +https through proxy\.example:3128$/m);
  // Depends on what listens on the default ports of this machine.
  const found = await doctor({ CUSTOM_DISCOVER: 'true' });
  expect(found.stdout).toMatch(
    /Your own server +(?:no server found on the usual ports|.*at 127\.0\.0\.1)/,
  );
});

test('a folder for recordings that cannot be made is refused at once, with the variable', async () => {
  const { path, exai } = createDoctorHome();
  const env = { EXAI_RECORD: path('missing', 'tapes') };
  const { code, stderr } = await exai(['keys', 'test'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('fix: Set EXAI_RECORD');
});
