import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { verifies } from '../../../test/verifies.ts';
import { Config } from '../schema/config.schema.ts';
import { loadConfig } from './load.ts';
import { tempHome } from '../temp-home.fixture.ts';

test('without any file or variable every setting has its default', () => {
  const { config, origins, notices } = tempHome().load();
  expect(config).toEqual(Config.parse({}));
  expect(new Set([...origins.values()].map(({ kind }) => kind))).toEqual(new Set(['default']));
  expect(notices).toEqual([]);
});

verifies('config:precedence', 'a stronger source beats each weaker one', () => {
  const it = tempHome();
  const port = (...[env, sources]: Parameters<typeof it.load>) => {
    const { config, origins } = it.load(env, sources);
    return [config.port, origins.get('port')?.kind];
  };
  expect(port()).toEqual([8765, 'default']);
  it.write('config.json', '{"port": 1}');
  expect(port()).toEqual([1, 'file']);
  it.write('.env', 'EXAI_PORT=2\n');
  expect(port()).toEqual([2, 'dotenv']);
  expect(port({ EXAI_PORT: '3' })).toEqual([3, 'env']);
  expect(port({ EXAI_PORT: '3' }, { flags: { port: '4' } })).toEqual([4, 'flag']);
});

verifies(
  'config:repository',
  'a config.json and a .env in the current directory are not read',
  () => {
    const it = tempHome();
    const repository = mkdtempSync(join(tmpdir(), 'exai-repository-'));
    const before = process.cwd();
    onTestFinished(() => {
      process.chdir(before);
      rmSync(repository, { recursive: true });
    });
    mkdirSync(join(repository, '.exai'));
    for (const name of ['config.json', '.exai/config.json', 'exai.json']) {
      writeFileSync(join(repository, name), '{"port": 1}');
    }
    writeFileSync(join(repository, '.env'), 'EXAI_PORT=1\nKIMI_API_KEY=stolen');
    process.chdir(repository);
    expect(it.load().config).toEqual(Config.parse({}));
  },
);

test('a home that depends on the current directory is refused', () => {
  expect(() => loadConfig({ env: { EXAI_HOME: 'here' } })).toThrow(
    'EXAI_HOME must be an absolute path, but is "here".',
  );
});

test('a home whose path would act on a terminal is refused', () => {
  const load = () => loadConfig({ env: { EXAI_HOME: '/tmp/a\r\u001B[Kforged' } });
  expect(load).toThrow(/^The path of EXAI_HOME has control characters\.$/);
});

test('a variable that is empty counts as unset', () => {
  const it = tempHome();
  it.write('.env', 'EXAI_PORT=\nEXAI_HOST=::1');
  const { config } = it.load({ EXAI_PORT: '', EXAI_HOST: '' });
  expect([config.port, config.host]).toEqual([8765, '::1']);
});

test('the first name of a setting wins, and a notice says when another one differs', () => {
  const it = tempHome();
  const same = it.load({ GLM_API_KEY: 'one', ZAI_API_KEY: 'one' });
  expect(same.notices).toEqual([]);
  const other = it.load({ ZAI_API_KEY: 'three', ZHIPUAI_API_KEY: 'two' });
  expect(other.config.providers.glm.apiKey).toBe('two');
  expect(other.origins.get('providers.glm.apiKey')).toEqual({
    kind: 'env',
    name: 'ZHIPUAI_API_KEY',
  });
  expect(other.notices).toEqual([
    notice('variables_differ', { used: 'ZHIPUAI_API_KEY', ignored: 'ZAI_API_KEY' }),
  ]);
});

test('names of the originals work, in their own unit, and name their successor', () => {
  const { config, notices } = tempHome().load({
    EXAI_WS_PING_INTERVAL: '2.5',
    EXAI_WS_PORT: '1',
    EXAI_WS_RESULT_TTL: '600',
  });
  expect([config.listener.pingIntervalMs, config.port]).toEqual([2500, 1]);
  expect(notices).toEqual([
    notice('variable_ignored', { variable: 'EXAI_WS_RESULT_TTL', reason: 'retired' }),
    notice('variable_renamed', { variable: 'EXAI_WS_PORT', current: 'EXAI_PORT' }),
    notice('variable_renamed', {
      variable: 'EXAI_WS_PING_INTERVAL',
      current: 'EXAI_LISTENER_PING_INTERVAL_MS',
      unit: 'milliseconds',
    }),
  ]);
});

test('a deprecated setting is accepted, changes nothing and gives a notice', () => {
  const it = tempHome();
  it.write('config.json', JSON.stringify({ providers: { kimi: { explicitCache: true } } }));
  const { config, notices } = it.load();
  expect(config.providers.kimi.explicitCache).toBe(true);
  expect(notices).toHaveLength(1);
  expect(notices).toMatchObject([
    {
      code: 'setting_deprecated',
      params: {
        setting: 'providers.kimi.explicitCache',
        place: expect.stringContaining('config.json') as string,
      },
    },
  ]);
});

test('an old name in seconds and a new one in milliseconds that agree give no notice', () => {
  const { notices } = tempHome().load({
    EXAI_LISTENER_PING_INTERVAL_MS: '2000',
    EXAI_WS_PING_INTERVAL: '2',
  });
  expect(notices).toEqual([]);
});

test('a mistyped EXAI_ variable is named with the nearest setting, any other variable is ignored', () => {
  const it = tempHome();
  it.write('.env', 'EXAI_TIMEZON=UTC\nOTHER=1\nEXAI_HOME=/x');
  expect(it.load({ EXAI_PROT: '1', PORT: '2' }).notices).toEqual([
    notice('variable_ignored', {
      variable: 'EXAI_PROT',
      reason: 'unknown',
      nearest: 'EXAI_PORT',
    }),
    notice('variable_ignored', {
      variable: 'EXAI_TIMEZON',
      reason: 'unknown',
      nearest: 'EXAI_TIMEZONE',
    }),
    notice('variable_ignored', { variable: 'EXAI_HOME', reason: 'environment_only' }),
  ]);
});

test('--config is read in place of the home’s file, and must exist', () => {
  const it = tempHome();
  it.write('config.json', '{"port": 1, "host": "::1"}');
  const other = join(it.home.root, 'other.json');
  writeFileSync(other, '{"port": 2}');
  const { config } = it.load({}, { configFile: other });
  expect([config.port, config.host]).toEqual([2, '127.0.0.1']);
  expect(it.refusal({}, { configFile: `${other}x` })).toBe(
    '--config names <home>/other.jsonx, but there is no such file.',
  );
});

test('folders are split as PATH is, and ~ is the folder of the user', () => {
  const it = tempHome();
  expect(it.load({ EXAI_ALLOWED_DIRS: '/a::~/b' }).config.allowedDirs).toEqual([
    '/a',
    '/home/somebody/b',
  ]);
  it.write('config.json', '{"allowedDirs": ["~"]}');
  expect(it.load().config.allowedDirs).toEqual(['/home/somebody']);
});

test('files that others can read give a notice when they hold a secret', () => {
  const it = tempHome();
  it.write('.env', 'KIMI_API_KEY=k', 0o644);
  it.write(
    'config.json',
    '{"token": "t", "database": "postgres://u:pw@h/d", "providers": {"glm": {"apiKey": "g"}, "kimi": {"apiKey": "${KIMI_API_KEY}"}}}',
    0o640,
  );
  const notices = it
    .load()
    .notices.map((each) => baseRenderer.notice(each).replaceAll(it.home.root, '<home>'));
  expect(notices).toEqual([
    '<home>/.env holds keys, and its mode lets other users read it; `chmod 600 <home>/.env` stops that.',
    'token is set in <home>/config.json:1:11, which other users can read; EXAI_TOKEN in .env keeps it private.',
    'database is set in <home>/config.json:1:28, which other users can read; EXAI_DATABASE_URL in .env keeps it private.',
    'providers.glm.apiKey is set in <home>/config.json:1:83, which other users can read; `exai keys add glm` keeps it private.',
  ]);
});

test('all faults of all sources are reported at once, and the error names the first', () => {
  const it = tempHome();
  it.write('.env', 'no assignment');
  it.write('config.json', '{"prot": 1, "limits": {"glm": 0}}');
  const load = () => it.load({ EXAI_TIMEZONE: 'Mars' }, { flags: { prot: '1' } });
  expect(load).toThrow(CallError);
  expect(it.refusal({ EXAI_TIMEZONE: 'Mars' }, { flags: { prot: '1' } }).split('\n')).toEqual([
    'The configuration has 5 faults:',
    '- "prot" is not a setting, did you mean "port"?',
    '- <home>/.env:1: This line is not NAME=VALUE.',
    '- <home>/config.json:1:2: "prot" is not a setting, did you mean "port"?',
    '- timezone must be a time zone such as Australia/Melbourne, but EXAI_TIMEZONE is "Mars".',
    '- limits.glm must be a whole number from 1 to 10000, but <home>/config.json:1:31 says 0.',
  ]);
});
