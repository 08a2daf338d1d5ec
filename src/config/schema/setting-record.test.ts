import { expect, test } from 'vitest';
import * as z from 'zod';
import { chapter, configJsonSchema } from '../../../scripts/config-docs.ts';
import { verifies } from '../../../test/verifies.ts';
import { compareSettings } from '../load/changed-settings.ts';
import { loadSettings } from '../load/load.ts';
import { showSettings } from '../load/show.ts';
import { secretsIn } from '../secrets/mask.ts';
import { tempHome } from '../temp-home.fixture.ts';
import { line, list, record, secretLine, wholeNumber } from './fields.schema.ts';
import { AT_RELOAD, settingMeta } from './setting-meta.ts';
import { createSettingSchema } from './setting-schema.ts';

const applies = AT_RELOAD;
const schema = createSettingSchema(
  z.strictObject({
    port: wholeNumber(0, 10).default(5).describe('A port.').register(settingMeta, { applies }),
    mcpServers: record({
      command: line.describe('The program.').register(settingMeta, { applies }),
      args: list(line).default([]).describe('Arguments.').register(settingMeta, { applies }),
      timeoutMs: wholeNumber(1, 1000)
        .default(100)
        .describe('How long.')
        .register(settingMeta, { applies }),
      apiKey: secretLine
        .default('')
        .describe('A key.')
        .register(settingMeta, { applies, secret: 'whole' }),
    }),
  }),
);

function load(file: object | string, env: Record<string, string> = {}, dotenv = '') {
  const it = tempHome();
  it.write('config.json', typeof file === 'string' ? file : JSON.stringify(file, null, 2));
  it.write('.env', dotenv);
  return loadSettings({ env: { ...it.env, ...env } }, schema);
}

const ENTRY = { command: 'npx' };

verifies('config:records', 'a section with free names is read from every source', () => {
  const servers = { 'my-server': ENTRY, github: { command: 'docker', args: ['run'] } };
  const { config, origins, notices } = load(
    { mcpServers: servers },
    {
      EXAI_MCP_SERVERS_GITHUB_TIMEOUT_MS: '7',
      EXAI_MCP_SERVERS_MY_SERVER_ARGS: 'a, b',
      EXAI_MCP_SERVERS_OTHER_COMMAND: 'uvx',
    },
    'EXAI_MCP_SERVERS_GITHUB_API_KEY=secret-of-github\n',
  );
  const defaults = { args: [], timeoutMs: 100, apiKey: '' };
  expect(config).toEqual({
    port: 5,
    mcpServers: {
      'my-server': { ...defaults, command: 'npx', args: ['a', 'b'] },
      github: { command: 'docker', args: ['run'], timeoutMs: 7, apiKey: 'secret-of-github' },
      other: { ...defaults, command: 'uvx' },
    },
  });
  expect(notices).toEqual([]);
  expect(origins.get('mcpServers.github.timeoutMs')?.kind).toBe('env');
  expect(origins.get('mcpServers.github.apiKey')?.kind).toBe('dotenv');
  expect(origins.get('mcpServers.github.command')?.kind).toBe('file');
  expect(origins.get('mcpServers.github.args')?.line).toBeGreaterThan(1);
});

test('without an entry a record is empty', () => {
  expect(load({}).config).toEqual({ port: 5, mcpServers: {} });
});

test('a flag sets a field of an entry', () => {
  const flags = { 'mcpServers.github.command': 'docker' };
  const { config } = loadSettings({ env: tempHome().env, flags }, schema);
  expect(config.mcpServers['github']?.command).toBe('docker');
});

test.each([
  [{ mcpServers: { github: {} } }, 'mcpServers.github.command is required, but is not set.'],
  [
    { mcpServers: { github: { ...ENTRY, timeoutMs: 'soon' } } },
    'mcpServers.github.timeoutMs must be a whole number from 1 to 1000',
  ],
  [
    { mcpServers: { github: { ...ENTRY, comand: 'x' } } },
    '"comand" is not a setting of "mcpServers.github", did you mean "command"?',
  ],
  [{ mcpServers: { 'a.b': ENTRY } }, 'The name "a.b" must begin with a letter or a digit'],
  [{ mcpServers: { '': ENTRY } }, 'must begin with a letter or a digit'],
  ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'must begin with a letter or a digit'],
  [{ mcpServers: [ENTRY] }, '"mcpServers" must be an object, in { and }'],
  [{ mcpServers: { github: 'npx' } }, '"mcpServers.github" must be an object, in { and }'],
])('%j is refused with its place', (file, message) => {
  expect(() => load(file)).toThrow(message);
});

test('a name that every object inherits is a name like another', () => {
  const { config } = load({ mcpServers: { constructor: ENTRY, toString: ENTRY } });
  expect(Object.keys(config.mcpServers)).toEqual(['constructor', 'toString']);
  expect(config.mcpServers['constructor']?.command).toBe('npx');
  expect((Object as unknown as Record<string, unknown>)['command']).toBeUndefined();
});

test('a variable that names no field of an entry is a notice', () => {
  const { notices, config } = load({}, { EXAI_MCP_SERVERS_GITHUB_COMAND: 'x' });
  expect(config.mcpServers).toEqual({});
  expect(notices.map(({ code }) => code)).toEqual(['variable_ignored']);
});

test('secrets of entries are masked, and found for redaction', () => {
  const loaded = load({
    mcpServers: { github: { ...ENTRY, apiKey: 'a-key-that-is-long-enough' } },
  });
  const shown = showSettings(loaded, schema);
  expect(shown.find(({ path }) => path === 'mcpServers.github.apiKey')?.value).toBe('****ough');
  expect(secretsIn(loaded.config, schema)).toEqual(['a-key-that-is-long-enough']);
});

test('settings of entries are found by their path', () => {
  expect(schema.find('mcpServers.github.command')?.kind).toBe('text');
  expect(schema.find('mcpServers.any-name.args')?.kind).toBe('list');
  for (const path of ['mcpServers', 'mcpServers.github', 'mcpServers.github.x', 'mcpServers..args'])
    expect(schema.find(path)).toBeUndefined();
});

test('added, changed and removed entries are changes', () => {
  const [before, after] = [
    load({ mcpServers: { old: ENTRY, same: ENTRY, other: ENTRY } }).config,
    load({ mcpServers: { same: ENTRY, other: { command: 'uvx' }, fresh: ENTRY } }).config,
  ];
  const paths = compareSettings(before, after, schema).map(({ path }) => path);
  expect(paths).toContain('mcpServers.old.command');
  expect(paths).toContain('mcpServers.fresh.command');
  expect(paths).toContain('mcpServers.other.command');
  expect(paths.filter((path) => path.startsWith('mcpServers.same'))).toEqual([]);
});

test('the documentation and the JSON schema have the fields of an entry', () => {
  const rows = chapter({ title: 'Servers', about: 'Servers.', keys: ['mcpServers'] }, schema);
  expect(rows).toContain(
    '| `mcpServers.NAME.command` | required | `EXAI_MCP_SERVERS_NAME_COMMAND` | reload | The program. |',
  );
  const json = JSON.parse(configJsonSchema(schema)) as {
    properties: { mcpServers: { additionalProperties: { properties: Record<string, object> } } };
  };
  const { properties } = json.properties.mcpServers.additionalProperties;
  expect(Object.keys(properties)).toEqual(['command', 'args', 'timeoutMs', 'apiKey']);
  expect(properties['timeoutMs']).toHaveProperty('anyOf');
});
