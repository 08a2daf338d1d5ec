import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

verifies(
  'config:origin',
  'config show says where each value came from and masks every secret',
  async () => {
    const { path, exai } = createHome();
    writeFileSync(
      path('config.json'),
      JSON.stringify({ port: 9001, database: 'postgres://me:hunter22@db/x' }),
    );
    writeFileSync(path('.env'), 'KIMI_API_KEY=sk-kimi-0123456789abcdef\n', { mode: 0o600 });
    const env = { EXAI_TOKEN: 'token-0123456789abcdef' };
    const { stdout, code } = await exai(['config', 'show', '--origin', '--json'], { env });
    expect(code).toBe(0);
    const { settings } = JSON.parse(stdout) as {
      settings: { path: string; value: unknown; origin: object }[];
    };
    const origin = (name: string) => settings.find((setting) => setting.path === name);
    expect(origin('port')).toMatchObject({ value: 9001, origin: { kind: 'file' } });
    expect(origin('host')).toMatchObject({ value: '127.0.0.1', origin: { kind: 'default' } });
    expect(origin('token')).toMatchObject({ origin: { kind: 'env', name: 'EXAI_TOKEN' } });
    expect(origin('providers.kimi.apiKey')).toMatchObject({ origin: { kind: 'dotenv' } });
    const words = await exai(['config', 'show', '--origin'], { env });
    expect(words.stdout).toMatch(/^port +9001 +\S*config\.json/m);
    for (const secret of ['0123456789ab', 'hunter22']) {
      expect(stdout + words.stdout + words.stderr).not.toContain(secret);
    }
  },
);

verifies('keys:add', 'a piped key is stored for its owner alone and never printed', async () => {
  const { path, exai } = createHome();
  const { code, stdout, stderr } = await exai(['keys', 'add', 'kimi'], {
    input: 'sk-0123456789abcdefghij\n',
    env: { KIMI_API_URL: 'http://127.0.0.1:9/v1' },
  });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('0123456789');
  expect(readFileSync(path('.env'), 'utf8')).toContain('sk-0123456789abcdefghij');
  expect(statSync(path('.env')).mode & 0o777).toBe(0o600);
  const { keys } = JSON.parse((await exai(['keys', 'list', '--json'])).stdout) as {
    keys: object[];
  };
  expect(keys[0]).toMatchObject({ name: 'kimi', set: true, masked: '****ghij' });

  const none = await exai(['keys', 'add', 'glm']);
  expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('No key was given')]);
});

verifies('keys:remove', 'a key is removed and every other line stays', async () => {
  const { path, exai } = createHome();
  writeFileSync(
    path('.env'),
    '# mine\nGLM_API_KEY=glm-1\n\nKIMI_API_KEY=kimi-1\nLOCALE=en # last\n',
    { mode: 0o600 },
  );
  expect((await exai(['keys', 'remove', 'glm'])).code).toBe(0);
  expect(readFileSync(path('.env'), 'utf8')).toBe(
    '# mine\n\nKIMI_API_KEY=kimi-1\nLOCALE=en # last\n',
  );
  const again = await exai(['keys', 'remove', 'glm']);
  expect(again.code).toBe(6);

  const env = { KIMI_API_KEY: 'kimi-2' };
  const kept = await exai(['keys', 'remove', 'kimi'], { env });
  expect([kept.code, kept.stdout]).toEqual([
    0,
    expect.stringContaining('still set by KIMI_API_KEY in your environment'),
  ]);
  expect((await exai(['keys', 'remove', 'kimi'], { env })).stderr).toContain(
    'It is set by KIMI_API_KEY in your environment',
  );
});

verifies(
  'config:unwritable-home',
  'a home that cannot be used is refused with its path and the way out',
  async () => {
    const { path, exai } = createHome();
    writeFileSync(path('file'), '');
    mkdirSync(path('closed'), { mode: 0o500 });
    // Root may write into any folder except those of the kernel.
    const closed = process.getuid?.() === 0 ? '/sys/exai' : path('closed');
    for (const home of [path('file', 'home'), closed]) {
      const options = { env: { EXAI_HOME: home } };
      const { code, stdout, stderr } = await exai(['serve', '--port', '0'], options);
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain(home);
      expect(stderr).toContain('Set EXAI_HOME');
    }
    const unused = { env: { EXAI_HOME: path('unused') } };
    expect((await exai(['serve', '--port', 'abc'], unused)).code).toBe(3);
    expect((await exai(['serve', '--host', '0.0.0.0'], unused)).code).toBe(22);
    expect(existsSync(path('unused'))).toBe(false);

    const doctor = await exai(['doctor'], { env: { EXAI_HOME: path('file', 'home') } });
    expect([doctor.code, doctor.stdout]).toEqual([
      22,
      expect.stringContaining('cannot be written'),
    ]);
  },
);

verifies(
  'security:masked-urls',
  'no command shows what a URL of the settings carries',
  async () => {
    const { exai } = createHome();
    const env = {
      CUSTOM_API_URL: 'http://hunter0001:hunter0002@127.0.0.1:9/v1?code=hunter0003&sig=hunter0004',
      CUSTOM_MODEL: 'm',
      KIMI_API_URL: 'http://127.0.0.1:9/v1?k=hunter0005',
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/?auth=hunter0006',
      EXAI_AUTOSTART: 'off',
    };
    const commands = [
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['doctor'],
      ['status'],
      ['keys', 'test'],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await exai(args, { env });
      expect(`${args.join(' ')}: ${stdout}${stderr}`).not.toContain('hunter');
    }
    const { stdout } = await exai(['config', 'show'], { env });
    expect(stdout).toContain('http://****:****@127.0.0.1:9/v1?code=****&sig=****');
  },
);
