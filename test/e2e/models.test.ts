import { expect, onTestFinished } from 'vitest';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, finished, start } from './exai.ts';

interface Listed {
  readonly models: readonly { id: string; provider: string; usable: boolean; because?: string }[];
}

async function emulated(): Promise<{ emulator: Emulator; env: Record<string, string> }> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const env = {
    KIMI_API_URL: `${emulator.url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
    OPENROUTER_API_URL: `${emulator.url}/openrouter/api/v1`,
    OPENROUTER_API_KEY: 'sk-or-emulated-0003',
    CUSTOM_API_URL: `${emulator.url}/ollama/v1`,
  };
  return { emulator, env };
}

verifies(
  'models:refresh',
  'without a key every model is listed with what it lacks; with keys it can be used',
  async () => {
    const bare = createHome();
    await bare.serve();
    const none = JSON.parse((await bare.exai(['models', '--json'])).stdout) as Listed;
    expect(none.models.find(({ id }) => id === 'kimi-k3')).toMatchObject({
      usable: false,
      because: 'it has no key: exai keys add kimi',
    });
    expect((await bare.exai(['models'])).stdout).toContain('kimi-k3');

    const { env } = await emulated();
    const { exai, serve } = createHome();
    await serve([], { env });
    const usable = (JSON.parse((await exai(['models', '--json'])).stdout) as Listed).models;
    expect(usable.filter(({ id }) => ['kimi-k3', 'glm-5.3'].includes(id))).toMatchObject([
      { id: 'kimi-k3', usable: true },
      { id: 'glm-5.3', usable: true },
    ]);
  },
);

verifies(
  'models:refresh',
  'a refresh brings the models of every provider, and they stay after a restart',
  async () => {
    const { env } = await emulated();
    const { exai, serve } = createHome();
    const first = await serve([], { env });
    const refresh = await exai(['models', 'refresh', '--json']);
    const { outcomes } = JSON.parse(refresh.stdout) as {
      outcomes: { provider: string; is: string }[];
    };
    expect(outcomes.map(({ provider, is }) => `${provider} ${is}`)).toEqual([
      'kimi refreshed',
      'glm refreshed',
      'custom refreshed',
      'openrouter refreshed',
      'extractive skipped',
    ]);
    expect(refresh.code).toBe(0);
    const providersOf = async () =>
      new Set(
        (JSON.parse((await exai(['models', '--json'])).stdout) as Listed).models.map(
          ({ provider }) => provider,
        ),
      );
    expect(await providersOf()).toEqual(
      new Set(['kimi', 'glm', 'custom', 'openrouter', 'extractive']),
    );
    first.kill('SIGTERM');
    await first.ended;
    await serve([], { env });
    expect(await providersOf()).toEqual(
      new Set(['kimi', 'glm', 'custom', 'openrouter', 'extractive']),
    );
  },
);

verifies(
  'models:refresh',
  'a provider that fails is named, and the others are refreshed',
  async () => {
    const { emulator, env } = await emulated();
    const { exai, serve } = createHome();
    await serve([], { env: { ...env, GLM_API_KEY: 'wrong.secret0002' } });
    emulator.fault({ id: 'F4', vendor: 'kimi', times: 0 });
    const { stdout, code } = await exai(['models', 'refresh']);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/kimi\s+failed/);
    expect(stdout).toMatch(/openrouter\s+refreshed/);
  },
);

verifies(
  'models:refresh',
  'what another address listed is left out, so that a try with the emulator leaves nothing behind',
  async () => {
    const { env } = await emulated();
    const { exai, serve } = createHome();
    const first = await serve([], { env });
    expect((await exai(['models', 'refresh'])).code).toBe(0);
    const list = async () =>
      (JSON.parse((await exai(['models', '--json'])).stdout) as Listed).models;
    expect((await list()).some(({ provider }) => provider === 'openrouter')).toBe(true);
    first.kill('SIGTERM');
    await first.ended;
    await serve();
    const providers = new Set((await list()).map(({ provider }) => provider));
    expect(providers).toEqual(new Set(['kimi', 'glm', 'extractive']));
    expect(JSON.stringify(await list())).not.toContain('unlisted');
  },
);

verifies(
  'models:refresh',
  'without any provider the next step is shown, and a failure names its fix',
  async () => {
    const bare = createHome();
    await bare.serve();
    const none = await bare.exai(['models', 'refresh']);
    expect(none.code).toBe(22);
    expect(none.stdout).toMatch(/kimi +skipped +not set up -> exai keys add kimi/);
    expect(none.stdout).toContain('No provider that lists its models is set up');
    expect((await bare.exai(['models', '--provider', 'custom'])).stdout).toContain(
      'None can be used: set CUSTOM_API_URL',
    );
    const slip = await bare.exai(['models', '--provider', 'kmi']);
    expect(slip.code).toBe(2);
    expect(slip.stderr).toMatch(/--provider .*did you mean "kimi"/);

    const { exai, serve } = createHome();
    const env = { KIMI_API_KEY: 'sk-emulated-kimi-0001', KIMI_API_URL: 'http://127.0.0.1:1/v1' };
    await serve([], { env });
    const failed = await exai(['models', 'refresh']);
    expect(failed.code).toBe(16);
    expect(failed.stdout).toContain('fix: KIMI_API_URL is http://127.0.0.1:1/v1; unset it for');
  },
);

verifies(
  'keys:test',
  'a provider that cannot be reached, or answers something else, is reported with its address',
  async () => {
    const { emulator } = await emulated();
    const { exai } = createHome();
    const ask = async (url: string) =>
      exai(['keys', 'test', 'kimi'], { env: { KIMI_API_KEY: 'sk-emulated', KIMI_API_URL: url } });
    const gone = await ask('http://me:hunter2@127.0.0.1:1/v1');
    expect(gone.code).toBe(16);
    expect(gone.stdout).toMatch(/unreachable/);
    expect(gone.stdout).toContain('unset it for https://api.moonshot.ai/v1');
    expect(gone.stdout).not.toContain('hunter2');
    expect((await ask(`${emulator.url}/nowhere`)).stdout).toMatch(/ failed /);
    const tls = await ask(`${emulator.url.replace('http:', 'https:')}/kimi/v1`);
    expect(tls.stdout).toContain(`try ${emulator.url}/kimi/v1`);
  },
);

verifies('keys:add', 'a key on the command line is refused and not repeated', async () => {
  const { exai } = createHome();
  const { code, stdout, stderr } = await exai(['keys', 'add', 'kimi', 'sk-onargv']);
  expect(code).toBe(2);
  expect(stderr).toContain('Keys are never given on the command line; paste or pipe it.');
  expect(stdout + stderr).not.toContain('sk-onargv');
});

verifies(
  'keys:test',
  'every key is tried at its provider, and a refused one says why',
  async () => {
    const { env } = await emulated();
    const { exai } = createHome();
    const tested = async () => {
      const { code, stdout } = await exai(['keys', 'test', '--json'], { env });
      const { keys } = JSON.parse(stdout) as { keys: { name: string; is: string }[] };
      return [`exit ${code}`, ...keys.map(({ name, is }) => `${name}: ${is}`)];
    };
    // A custom server has 1.5 s to identify itself, which may be too short on a busy machine.
    await expect
      .poll(tested)
      .toEqual([
        'exit 0',
        'kimi: accepted',
        'glm: accepted',
        'openrouter: accepted',
        'custom: accepted',
        'composio: not set',
        'logfire: not set',
      ]);

    const wrong = 'sk-wrong-key-of-mine-7777';
    const bad = await exai(['keys', 'test', 'kimi'], { env: { ...env, KIMI_API_KEY: wrong } });
    expect(bad.code).toBe(4);
    expect(bad.stdout).toMatch(/kimi\s+Kimi \(Moonshot\)\s+refused/);
    expect(bad.stdout).toContain('fix: ');
    expect(bad.stdout + bad.stderr).not.toContain(wrong);

    const none = createHome();
    expect((await none.exai(['keys', 'test'])).code).toBe(22);
  },
);

verifies(
  'models:lists',
  'a list that leaves no model is explained, and the daemon still runs',
  async () => {
    const { env } = await emulated();
    const { exai, serve } = createHome();
    await serve([], { env: { ...env, KIMI_ALLOWED_MODELS: 'nothing-like-it' } });
    const { models } = JSON.parse((await exai(['models', '--json'])).stdout) as Listed;
    expect(models.find(({ id }) => id === 'kimi-k3')).toMatchObject({
      usable: false,
      because: 'models.allow.kimi does not name it',
    });
    const doctor = await exai(['doctor'], {
      env: { ...env, KIMI_ALLOWED_MODELS: 'nothing-like-it' },
    });
    expect(doctor.stdout).toContain('models.allow.kimi excludes every model of kimi');
  },
);

verifies(
  'emulator:control',
  '`exai emulate` prints its address, answers, and stops on a signal',
  async () => {
    const { root } = createHome();
    const child = start(root, ['emulate', '--port', '0']);
    const ended = finished(child);
    const url = await new Promise<string>((resolve) => {
      let said = '';
      child.stdout?.on('data', (chunk) => {
        said += String(chunk);
        const line = /^emulating on (http:\S+)\n/m.exec(said);
        if (line?.[1] !== undefined) resolve(line[1]);
      });
    });
    const answer = await fetch(`${url}/kimi/v1/models`, {
      headers: { authorization: 'Bearer sk-emulated' },
    });
    expect(await answer.json()).toMatchObject({ object: 'list' });
    const seen = (await (await fetch(`${url}/_requests`)).json()) as { requests: unknown[] };
    expect(JSON.stringify(seen)).toContain('/kimi/v1/models');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  },
);
