import { expect, test } from 'vitest';
import { findMissingSettings, type SettingDigest } from './missing-settings.ts';
import { tempHome } from '../temp-home.fixture.ts';

const digest: SettingDigest = (name, value) => `${name}#${value}`;

function digestsOf(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, digest(name, value)]),
  );
}

const KEY = 'sk-0123456789abcdef';

test('what the daemon has not, or has otherwise, is named with the way to give it', () => {
  const it = tempHome();
  const loaded = it.load({ EXAI_PORT: '9000' });
  const theirs = digestsOf({
    KIMI_API_KEY: KEY,
    EXAI_PORT: '9001',
    EXAI_HOST: '127.0.0.1',
    TOOL_PROFILE: 'full',
  });
  expect(findMissingSettings(theirs, loaded, {}, digest)).toEqual([
    { name: 'EXAI_PORT', state: 'missing', command: 'exai restart' },
    { name: 'KIMI_API_KEY', state: 'missing', command: 'exai keys add kimi' },
    {
      name: 'TOOL_PROFILE',
      state: 'missing',
      command: `write TOOL_PROFILE=… to ${it.home.envFile}, then: exai config reload`,
    },
  ]);
});

test('a value in effect, also in another spelling, is not missing', () => {
  const env = { EXAI_AUTH_REQUIRE_TOKEN: 'no', KIMI_API_KEY: KEY };
  const loaded = tempHome().load(env);
  expect(findMissingSettings(digestsOf(env), loaded, env, digest)).toEqual([]);
});

test('what was stored since the daemon started wants a reload alone, under any of its names', () => {
  const it = tempHome();
  const loaded = it.load();
  it.write('.env', `KIMI_API_KEY=${KEY}\n`);
  expect(findMissingSettings(digestsOf({ KIMI_API_KEY: KEY }), loaded, {}, digest)).toEqual([
    { name: 'KIMI_API_KEY', state: 'stored', command: 'exai config reload' },
  ]);
  // The environment of the daemon would still count more.
  expect(
    findMissingSettings(digestsOf({ KIMI_API_KEY: KEY }), loaded, { KIMI_API_KEY: 'x' }, digest),
  ).toMatchObject([{ command: 'exai restart' }]);
  expect(
    findMissingSettings(digestsOf({ MOONSHOT_API_KEY: KEY }), loaded, {}, digest),
  ).toMatchObject([{ name: 'MOONSHOT_API_KEY', state: 'stored' }]);
  expect(
    findMissingSettings(digestsOf({ KIMI_API_KEY: 'other' }), loaded, {}, digest),
  ).toMatchObject([{ state: 'missing' }]);
});

test('the token is never compared: authentication checks it', () => {
  const loaded = tempHome().load({ EXAI_TOKEN: 'the-token-at-the-start' });
  const theirs = digestsOf({ EXAI_TOKEN: 'the-token-after-rotation', EXAI_WS_TOKEN: 'another' });
  expect(findMissingSettings(theirs, loaded, {}, digest)).toEqual([]);
});

test('names that are not settings are ignored', () => {
  const theirs = {
    ...digestsOf({ PATH: '/bin' }),
    ...(JSON.parse('{"__proto__": "x"}') as object),
  };
  expect(findMissingSettings(theirs, tempHome().load(), {}, digest)).toEqual([]);
});
