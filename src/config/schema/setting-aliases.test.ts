import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { valueAt } from './setting-schema.ts';
import { describeOrigin } from '../load/origin.ts';
import { SETTING_ALIASES } from './setting-aliases.ts';
import { findSetting, SETTINGS } from './settings.ts';
import { variableName } from './setting-schema.ts';
import { tempHome } from '../temp-home.fixture.ts';

test('every alias is an old name of a setting, and no setting has that name', () => {
  for (const { old, current } of SETTING_ALIASES) {
    expect([findSetting(old), findSetting(current)?.path]).toEqual([undefined, current]);
  }
});

/** A valid value of the setting that is not its default. */
function otherValue(path: string): string {
  const setting = findSetting(path);
  if (setting?.kind === 'number') return '2000000';
  if (path === 'gateway.aliases') return 'gpt-4o=kimi-k3';
  return setting?.kind === 'choice' ? 'never' : 'http://localhost:3000';
}

for (const { old, current } of SETTING_ALIASES) {
  verifies('config:aliases', `${old} works in every source`, () => {
    const value = otherValue(current);
    const names = [old, current].map((path) => variableName(path.split('.'))) as [string, string];
    const it = tempHome();
    const expected = it.load({}, { flags: { [current]: value } }).config;
    const fromEnv = it.load({ [names[0]]: value });
    const fromFlag = it.load({}, { flags: { [old]: value } });
    expect([fromEnv.config, fromFlag.config]).toEqual([expected, expected]);
    expect([...fromEnv.notices, ...fromFlag.notices]).toEqual([
      notice('setting_renamed', { old: names[0], current: names[1], source: 'the environment' }),
      notice('setting_renamed', { old, current, source: 'the command line' }),
    ]);
    it.write('.env', `\n${names[0]}=${value}`);
    const fromDotenv = it.load();
    it.write('.env', '');
    const [group, key] = old.split('.') as [string, string];
    const written = valueAt(expected, current);
    it.write('config.json', JSON.stringify({ [group]: { [key]: written } }));
    const fromFile = it.load();
    expect([fromDotenv.config, fromFile.config]).toEqual([expected, expected]);
    const column = group.length + key.length + 9;
    expect([...fromDotenv.notices, ...fromFile.notices]).toEqual([
      notice('setting_renamed', {
        old: names[0],
        current: names[1],
        source: `${it.home.envFile}:2`,
      }),
      notice('setting_renamed', { old, current, source: `${it.home.configFile}:1:${column}` }),
    ]);
  });
}

verifies('config:aliases', 'the new name counts where a source has both', () => {
  const it = tempHome();
  const both = { EXAI_TIMEOUTS_IDLE_MS: '1000', EXAI_PATIENCE_IDLE_MS: '2000' };
  expect(it.load(both).config.timeouts.idleMs).toBe(1000);
  expect(
    it.load({}, { flags: { 'patience.idleMs': '2000', 'timeouts.idleMs': '1000' } }).config.timeouts
      .idleMs,
  ).toBe(1000);
  const [old, current] = ['"patience": {"idleMs": 2000}', '"timeouts": {"idleMs": 1000}'];
  for (const text of [`{${old}, ${current}}`, `{${current}, ${old}}`]) {
    it.write('config.json', text);
    const { config, notices } = it.load();
    expect([config.timeouts.idleMs, notices.map(({ code }) => code)]).toEqual([
      1000,
      ['setting_renamed'],
    ]);
  }
});

verifies('config:aliases', 'an old name in a stronger source beats a new one in a weaker', () => {
  const it = tempHome();
  it.write('config.json', '{"timeouts": {"idleMs": 1000}}');
  expect(it.load({ EXAI_PATIENCE_IDLE_MS: '2000' }).config.timeouts.idleMs).toBe(2000);
});

verifies('config:aliases', 'a wrong value under an old name is refused at the user’s line', () => {
  const it = tempHome();
  it.write('config.json', '{\n  "door": {\n    "maxBodyBytes": 5\n  }\n}');
  expect(it.refusal()).toBe(
    'listener.maxBodyBytes must be a whole number from 1024 to 1073741824, but <home>/config.json:3:21 (as door.maxBodyBytes) says 5.',
  );
  it.write('config.json', '{\n "door": {\n  "maxFrameByte": 1}}');
  expect(it.refusal()).toBe(
    '<home>/config.json:3:3: "maxFrameByte" is not a setting of "door", did you mean "maxFrameBytes"?',
  );
  it.write('config.json', '{"door": 5}');
  expect(it.refusal()).toBe('<home>/config.json:1:10: "door" must be an object, in { and }.');
});

verifies('config:aliases', 'the origin of a setting tells under which name it was set', () => {
  const it = tempHome();
  it.write('config.json', '{"fallback": {"local": "never"}}');
  const { origins } = it.load({ EXAI_DOOR_ORIGINS: 'http://localhost:1' });
  const shown = ['fallback.extractive', 'listener.origins'].map((path) => {
    const origin = origins.get(path);
    return origin && describeOrigin(origin);
  });
  expect(shown).toEqual([`${it.home.configFile}:1:24 (as fallback.local)`, 'EXAI_DOOR_ORIGINS']);
});

test('an alias is never proposed for a mistyped name', () => {
  const it = tempHome();
  it.write('config.json', '{"doors": 1}');
  expect(it.refusal()).toBe('<home>/config.json:1:2: "doors" is not a setting.');
});

test('a renamed variable is never proposed for a mistyped one', () => {
  const { notices } = tempHome().load({ EXAI_DOOR_ORIGIN: 'http://localhost:1' });
  expect(notices).toMatchObject([{ code: 'variable_ignored' }]);
  expect(JSON.stringify(notices)).not.toContain('EXAI_DOOR_ORIGINS');
});

test('names of the original EX-AI lead to the settings of today', () => {
  const old = SETTINGS.flatMap(({ path, variables }) =>
    variables.filter(({ age }) => age === 'old').map(({ name }) => [name, path]),
  );
  expect(Object.fromEntries(old)).toMatchObject({
    EXAI_WS_MAX_BYTES: 'listener.maxFrameBytes',
    EXAI_WS_PING_INTERVAL: 'listener.pingIntervalMs',
  });
});

test('an old variable beside the new one is named, too', () => {
  const both = { EXAI_TIMEOUTS_IDLE_MS: '1000', EXAI_PATIENCE_IDLE_MS: '1000' };
  expect(tempHome().load(both).notices).toEqual([
    notice('setting_renamed', {
      old: 'EXAI_PATIENCE_IDLE_MS',
      current: 'EXAI_TIMEOUTS_IDLE_MS',
      source: 'the environment',
    }),
  ]);
});

test('an old name with a dot in one key is unknown, as a new one is', () => {
  const it = tempHome();
  for (const key of ['door.origins', 'listener.origins']) {
    it.write('config.json', JSON.stringify({ [key]: ['https://a.example'] }));
    expect(() => it.load()).toThrow(key);
  }
});
