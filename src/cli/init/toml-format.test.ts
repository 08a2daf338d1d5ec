import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import type { KeyPath } from './client-definition.ts';
import { SETTINGS_FORMATS, withEntry, withoutEntry } from './edit-settings.ts';
import { SettingsSyntaxError } from './settings-syntax-error.ts';

const PATH: KeyPath = ['mcp_servers', 'exai'];
const ENTRY = { command: 'exai', args: ['stdio'] };
const TABLE = '[mcp_servers.exai]\ncommand = "exai"\nargs = ["stdio"]\n';
const { toml } = SETTINGS_FORMATS;

test.each([
  ['an empty file', '', TABLE],
  ['a file with other tables', '[a]\nb = 1\n', `[a]\nb = 1\n\n${TABLE}`],
  ['a file without a last line break', '[a]\nb = 1', `[a]\nb = 1\n\n${TABLE}`],
  ['a file that ends with a blank line', 'b = 1\n\n', `b = 1\n\n${TABLE}`],
  ['CRLF', 'b = 1\r\n', `b = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
  ['an implicit table', '[mcp_servers.a]\nb = 1\n', `[mcp_servers.a]\nb = 1\n\n${TABLE}`],
])('an entry is put into %s', (_, before, after) => {
  const { text, made } = withEntry(toml, before, PATH, ENTRY);
  expect(text).toBe(after);
  expect(withoutEntry(toml, text, PATH, made).trimEnd()).toBe(before.trimEnd());
});

test('what TOML has its own way of writing is written that way', () => {
  const entry = { command: 'C:\\bin\\"n"', args: [], env: { EXAI_HOME: '/e', 'a b': 'ü\n' } };
  const { text } = withEntry(toml, '', PATH, entry);
  expect(text).toContain('env = { EXAI_HOME = "/e", "a b" = "ü\\n" }');
  expect(parse(text)).toEqual({ mcp_servers: { exai: entry } });
});

test('an entry is renewed where it stands, and comments stay', () => {
  const before = `# one\n${TABLE}\n# two\n[b] # three\nc = 1\n`;
  const { text } = withEntry(toml, before, PATH, { command: 'node' });
  expect(text).toBe('# one\n[mcp_servers.exai]\ncommand = "node"\n\n# two\n[b] # three\nc = 1\n');
  expect(withoutEntry(toml, before, PATH, PATH)).toBe('# one\n\n# two\n[b] # three\nc = 1\n');
});

test('an entry with nested tables or quoted names is removed as a whole', () => {
  const before = '[ "mcp_servers" . exai ]\ncommand = "x"\n[mcp_servers.exai.env]\nA = "b"\n[c]\n';
  expect(withoutEntry(toml, before, PATH, PATH)).toBe('[c]\n');
});

test.each([
  ['a = 1\na = 2\n', 'This is not TOML: '],
  [
    '[mcp_servers]\nexai = { command = "x" }\n',
    'cannot be written here without touching something',
  ],
  ['mcp_servers = 1\n', '"mcp_servers" should be a table'],
  [
    "a = '''\n[mcp_servers.exai]\n'''\n[mcp_servers]\nexai = { command = 'x' }\n",
    'without touching',
  ],
])('%j is refused', (text, message) => {
  expect(() => withEntry(toml, text, PATH, ENTRY)).toThrow(SettingsSyntaxError);
  expect(() => withEntry(toml, text, PATH, ENTRY)).toThrow(message);
});

test.each([
  ['mcp_servers = { a = { command = "x" } }\n', 1, 15],
  ['# mine\r\nmodel = "x"\r\n  "mcp_servers"={}\r\n\r\n[a]\r\nb = 1\r\n', 3, 17],
])('an inline table, which nothing can be added to, is refused: %j', (text, line, column) => {
  expect(() => withEntry(toml, text, PATH, ENTRY)).toThrow(
    expect.objectContaining({
      message: 'mcp_servers is an inline table; write each of its members as [mcp_servers.name]',
      position: { line, column },
    }) as Error,
  );
});

test('what only looks like an inline table is none', () => {
  const before = "a = '''\nmcp_servers = {\n'''\n";
  for (const text of [before, `${before}[mcp_servers.b]\nmcp_servers = { c = 1 }\n`]) {
    expect(withEntry(toml, text, PATH, ENTRY).text).toBe(`${text}\n${TABLE}`);
  }
});

test('a syntax error has its position, and none of the text', () => {
  const text = '[a]\nkey = sk-secret-0001\n';
  expect(() => toml.at(text, PATH)).toThrow(
    expect.objectContaining({ position: expect.objectContaining({ line: 2 }) }),
  );
  expect(() => toml.at(text, PATH)).toThrow(/^(?!.*secret)This is not TOML: /s);
});

test('whatever else stands in a file survives', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(Number.NaN));
  const table = fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(fc.string())));
  const documents = fc.dictionary(
    fc.string(),
    fc.oneof(scalar, table, fc.dictionary(fc.string(), table)),
  );
  fc.assert(
    fc.property(documents, fc.constantFrom('', '# a\n', '\n\n'), (value, comment) => {
      const { mcp_servers: _, ...others } = value;
      const before = comment + stringify(others) + comment;
      const { text, made } = withEntry(toml, before, PATH, ENTRY);
      expect(text.startsWith(before)).toBe(true);
      expect(parse(text)).toEqual({ ...parse(before), mcp_servers: { exai: ENTRY } });
      expect(parse(withoutEntry(toml, text, PATH, made))).toEqual(parse(before));
    }),
  );
});
