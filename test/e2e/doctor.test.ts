import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, createPlainHome, type RunOptions } from './exai.ts';

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
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ +Node\.js/m);
    expect(stdout).toMatch(/^– +Kimi.*exai keys add kimi$/m);
    expect(stdout).toContain('no model can be asked without a key');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('Next: exai keys add glm');

    const ascii = await exai(['doctor'], { env: { LANG: 'C' } });
    // eslint-disable-next-line no-control-regex -- all of ASCII is meant
    expect(ascii.stdout).toMatch(/^[\x00-\x7F]*$/);
  },
);

verifies('cli:doctor', 'with a daemon and a key it finds nothing to mend', async () => {
  const { exai, serve } = createDoctorHome();
  const env = { GLM_API_KEY: 'sk-0123456789abcdef' };
  const daemon = await serve([], { env });
  const { code, stdout } = await exai(['doctor', '--json'], { env });
  const { checks, next } = JSON.parse(stdout) as {
    checks: { id: string; status: string }[];
    next: string;
  };
  const status = Object.fromEntries(checks.map((check) => [check.id, check.status]));
  expect(status).toMatchObject({ daemon: 'ok', store: 'ok', key_glm: 'ok', key_kimi: 'off' });
  expect(status).not.toHaveProperty('port');
  expect({ code, next }).toEqual({ code: 0, next: 'exai ask "What is a monad?"' });
  expect(stdout).toContain(daemon.url);
  expect(stdout).not.toContain('0123456789abcdef');
});

verifies(
  'cli:doctor',
  'an account that refused its key or wants money is worth a look, and says what helps',
  async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const env = {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
    };
    const { exai, serve } = createDoctorHome();
    await serve([], { env });
    emulator.fault({ id: 'F16', vendor: 'kimi', times: 0 });
    emulator.fault({ id: 'F2', vendor: 'glm', times: 0 });
    await exai(['ask', 'Say exactly: Nobody.']);
    const { code, stdout } = await exai(['doctor'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! +Account +Kimi .* refused the key .* -> exai keys test kimi$/m);
    expect(stdout).toMatch(
      /^! +Account +GLM .* wanted payment .* -> Top it up .*exai keys test glm$/m,
    );
    expect(stdout).toContain('look at: ');
    expect(stdout).not.toContain('Everything that is set up works');
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
  const replay = await doctor({ EXAI_REPLAY: path('.') });
  expect(replay.code).toBe(0);
  expect(replay.stdout).toContain('answers come from the recordings');
  expect(replay.stdout).toContain('look at: Network.');
  const proxy = await doctor({ HTTPS_PROXY: 'http://me:hunter2@proxy.example:3128' });
  expect(proxy.stdout).toMatch(/^ok +Network +https through proxy\.example:3128$/m);
  // Depends on what listens on the default ports of this machine.
  const found = await doctor({ CUSTOM_DISCOVER: 'true' });
  expect(found.stdout).toMatch(
    /Your own server +(?:no server found on the usual ports|found at 127\.0\.0\.1)/,
  );
});

test('a folder for recordings that cannot be made is refused at once, with the variable', async () => {
  const { path, exai } = createDoctorHome();
  const env = { EXAI_RECORD: path('missing', 'tapes') };
  const { code, stderr } = await exai(['keys', 'test'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('fix: Set EXAI_RECORD');
});
