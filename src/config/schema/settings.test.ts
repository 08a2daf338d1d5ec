import { expect, test } from 'vitest';
import { EXAMPLE, configJsonSchema, envExample } from '../../../scripts/config-docs.ts';
import { Config } from './config.schema.ts';
import { SETTINGS } from './settings.ts';
import { tempHome } from '../temp-home.fixture.ts';
import { TOPICS } from '../../../scripts/config-topics.ts';

test('every setting has a description that is a sentence', () => {
  expect(SETTINGS.filter(({ about }) => !/^[A-Z].*\.$/.test(about))).toEqual([]);
});

test('no variable belongs to two settings', () => {
  const names = SETTINGS.flatMap(({ variables }) => variables.map(({ name }) => name));
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

test('every top-level key stands in exactly one topic', () => {
  expect(TOPICS.flatMap(({ keys }) => keys).toSorted()).toEqual(
    Object.keys(Config.shape).toSorted(),
  );
});

test.each([
  'KIMI_API_KEY MOONSHOT_API_KEY KIMI_API_URL GLM_API_KEY ZHIPUAI_API_KEY ZAI_API_KEY GLM_API_URL',
  'KIMI_BASE_URL MOONSHOT_API_BASE ZAI_BASE_URL ZHIPU_API_KEY',
  'OPENROUTER_API_KEY OPENROUTER_API_URL CUSTOM_API_URL CUSTOM_API_KEY CUSTOM_MODEL',
  'KIMI_SPEED_MODEL KIMI_QUALITY_MODEL KIMI_DEFAULT_MODEL GLM_SPEED_MODEL GLM_QUALITY_MODEL DEFAULT_MODEL',
  'ENABLE_INTELLIGENT_SELECTION LOCALE EXAI_TIMEZONE EXAI_LOCATION EXAI_ALLOWED_DIRS EXAI_TOKEN',
  'COMPOSIO_API_KEY DEFAULT_USER_ID LOGFIRE_TOKEN Z_AI_API_KEY Z_AI_MODE EDGAR_IDENTITY',
  'EXAI_WS_HOST EXAI_WS_PORT EXAI_WS_TOKEN EXAI_WS_COMPAT_TEXT EXAI_WS_MAX_BYTES',
])('the names that scripts rely on are there: %s', (names) => {
  const known = new Set(SETTINGS.flatMap(({ variables }) => variables.map(({ name }) => name)));
  expect(names.split(' ').filter((name) => !known.has(name))).toEqual([]);
});

test('.env.example with every line made to count gives the defaults', () => {
  const it = tempHome();
  const text = envExample().replaceAll(/^#(?=[A-Z])/gm, '');
  expect(text.match(/^[A-Z_]+=/gm)).toHaveLength(SETTINGS.length);
  it.write('.env', text);
  expect(it.load().config).toEqual(Config.parse({}));
});

test('the example of the documentation loads', () => {
  const it = tempHome();
  it.write('config.json', JSON.stringify(EXAMPLE));
  expect(it.load({ MY_KIMI_KEY: 'k' }).config.providers.kimi.apiKey).toBe('k');
});

test('the JSON schema knows no default that depends on the machine', () => {
  const { properties } = JSON.parse(configJsonSchema()) as {
    properties: Record<string, { default?: unknown }>;
  };
  expect(properties['port']?.default).toBe(8765);
  expect(properties['timezone']).not.toHaveProperty('default');
});
