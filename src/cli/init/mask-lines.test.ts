import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { Io } from '../io.ts';
import type { InitClient } from './client-definition.ts';
import { SETTINGS_FORMATS, withEntry, type SettingsFormatName } from './edit-settings.ts';
import { clientOf } from './init.fixture.ts';
import { maskLines } from './mask-lines.ts';
import { outcomeOfInit, outcomeJson, outcomeOfUndo, type InitOutcome } from './outcome.ts';
import { printPlans } from './render.ts';
import type { SettingsFile } from './settings-file.ts';
import { SETTINGS } from './settings.fixture.ts';

const ENTRY = { type: 'stdio', command: '/opt/node/bin/node', args: ['/opt/exai/exai.cjs'] };
const OLD_ENTRY = { type: 'stdio', command: '/opt/old-node/bin/node', args: ['stdio'] };

const masked = (text: string, format: SettingsFormatName = 'jsonc') =>
  maskLines(text, format, [ENTRY]).join('\n');

test.each([
  ['{ // old token: sk-ant-api03-x', '{ // …'],
  ['{ /* a\nsk-ant */ "b": 1 }', '{ /* …\n… */ "b": 1 }'],
  ['{"B64_KEY": "/9j4AAQ"}', '{"B64_KEY": "…"}'],
  ['{"K": "~sk-ant"}', '{"K": "…"}'],
  ['{"url": "https://mcp.example.com/s/secret/mcp"}', '{"url": "…"}'],
  ['{"X-Foo": "Bearer abc"}', '{"X-Foo": "…"}'],
  ['{"PWD": "correcthorse",}', '{"PWD": "…",}'],
  ['{"a\\"b" /* c */ : "// d", "e": "f"}', '{"a\\"b" /* … */ : "…", "e": "…"}'],
  ['{"n": -1.5e+3, "t": true, "f": false, "z": null}', undefined],
  ['{"command": "npx", "type": "http", "a": [{"type": "sse"}]}', undefined],
  ['{"command": ["npx", "k"], "type": {"a": "k"}}', '{"command": ["…", "…"], "type": {"a": "…"}}'],
  ['{"command": "curl -H k", "type": "abcdef123456"}', '{"command": "…", "type": "…"}'],
  [
    '{"numStartups": 4, "k": "v", "exai": {"type": "stdio"}}',
    '{"numStartups": 4, "k": "…", "exai": {"type": "stdio"}}',
  ],
  ['{"exai": {"command": "/opt/node/bin/node", "args": ["/opt/exai/exai.cjs"]}}', undefined],
  ['{"a": "open\n"b": 1}', '{"a": …\n…'],
  ['{"a": sk-ant/b, "c": 1}', '{"a": ……'],
])('of the JSON %j is shown %j', (text, shown) => {
  expect(masked(text)).toBe(shown ?? text);
});

test.each([
  ['a = """\nsk\n\n"k" """\nb = 1', 'a = """…\n…\n…\n…"""\nb = 1'],
  ['a = """k"""""\nb = """"""\nc = 1', 'a = """…"""\nb = """…"""\nc = 1'],
  ["a = '''\n# k = [\n''''\nb = 1", "a = '''…\n…\n…'''\nb = 1"],
  ['token = sk-ant', 'token = …'],
  ['token = "sk-ant\nb = 1', 'token = …\n…'],
  ['token = """sk-ant\nb = 1', 'token = …\n…'],
  ["[a.'b c'.\"d\"] # k\ne.f = 'k' # k", "[a.'b c'.\"d\"] # …\ne.f = '…' # …"],
  [
    '[[a]]\nb = [\n  "k", # k\n  1_000,\n]\nc = { d = "k", e = [{ f = "k" }] }',
    '[[a]]\nb = [\n  "…", # …\n  1_000,\n]\nc = { d = "…", e = [{ f = "…" }] }',
  ],
  [
    'a = 1979-05-27 07:32:00Z\nb = 0xDEADBEEF\nc = 1.5\nd = true',
    'a = … …\nb = …\nc = 1.5\nd = true',
  ],
  ['[mcp_servers.exai]\ncommand = "/opt/node/bin/node"\nargs = ["/opt/exai/exai.cjs"]', undefined],
  ['[b]\r\ncommand = "npx"\r\nargs = ["-y"]\r\n', '[b]\ncommand = "npx"\nargs = ["…"]\n'],
])('of the TOML %j is shown %j', (text, shown) => {
  expect(masked(text, 'toml')).toBe(shown ?? text);
});

test('a line without end is cut, and one of any length is read', () => {
  const long = '\\"k'.repeat(1_000_000);
  for (const text of [`{"a": "${long}"}`, `[${'0,'.repeat(100_000)}0]`, '"'.repeat(100_001)]) {
    expect(masked(text).length).toBeLessThan(200);
  }
  for (const quotes of ['"', '"""']) {
    expect(masked(`a = ${quotes}${long}${quotes}`, 'toml')).toBe(`a = ${quotes}…${quotes}`);
  }
});

test('the diff of a file of one line shows our entry and nothing of theirs', () => {
  const [added] = outcomes(clientOf('claude-code'), '{"n": 4, "oauth": "sk-ant-0123456789"}');
  expect(added?.hunk?.lines.map(({ text }) => text)).toEqual([
    '{"n": 4, "oauth": "…"}',
    '{"n": 4, "oauth": "…", "mcpServers": { "exai": { "type": "stdio", "command": "/opt/node/bin/node", "args": [ "/opt/exai/exai.cjs" ] } }}',
  ]);
});

test('an entry that is renewed is shown as it was and as it will be', () => {
  const before = withEntry(SETTINGS_FORMATS.toml, '', ['mcp_servers', 'exai'], OLD_ENTRY).text;
  const [renewed] = outcomes(clientOf('codex'), before);
  const text = renewed?.hunk?.lines.map((line) => line.text).join('\n');
  expect(text).toContain('command = "/opt/old-node/bin/node"\n');
  expect(text).toContain('command = "/opt/node/bin/node"\n');
});

test.each(Object.keys(SETTINGS))('%s: every line of its settings stays in its place', (id) => {
  const text = SETTINGS[id] ?? '';
  const lines = maskLines(text.replace(/^\uFEFF/, ''), clientOf(id).format, []);
  expect(lines).toHaveLength(text.split('\n').length);
  expect(lines.at(-1)).not.toBe('…');
});

// Every string has a marker, so that a leaked part of one is noticed.
const MARK = 'q7z-secret-9';
const PIECES = [
  '"',
  "'",
  '\\',
  '#',
  '//',
  '/*',
  '*/',
  '=',
  ':',
  ',',
  '[',
  ']',
  '{',
  '}',
  '\n',
  ' ',
  '/',
  '~',
  'é',
  'Bearer ',
  'https://',
  '"""',
  "'''",
  '\u2028',
  '\r',
];
const noise = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string()), { maxLength: 4 });
const secret = fc
  .tuple(noise, noise)
  .map(([left, right]) => `${left.join('')}${MARK}${right.join('')}`);
const name = fc.constantFrom('command', 'type', 'args', 'url', 'a"b', 'x y', 'exai', 'é');
const scalar = fc.oneof(
  { weight: 3, arbitrary: secret },
  fc.constantFrom(true, false, 0, -1.5, 1e30),
);

test('no text of a JSON document with comments is shown beside our entry', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const gap = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('', ' ', '\n', '\r\n\t') },
    secret.map((text) => `// ${text.replaceAll(/[\r\n]/g, ' ')}\n`),
    secret.map((text) => `/* ${text.replaceAll('*/', '')} */`),
  );
  const gaps = fc.array(gap, { minLength: 1, maxLength: 12 });
  let tried = 0;
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), gaps, (document, between) => {
      const text = writtenJson(document, between);
      if (text.includes(MARK)) tried++;
      expectNothingShown(clientOf('vscode'), text);
    }),
    { numRuns: 300 },
  );
  expect(tried).toBeGreaterThan(100);
});

test('no text of a TOML document is shown beside our entry', () => {
  const line = (text: string) => text.replaceAll(/[\p{Cc}\u2028]/gu, ' ');
  const value = fc.oneof(
    secret.map((text) => JSON.stringify(text)),
    secret.map((text) => `'${line(text).replaceAll("'", '')}'`),
    secret.map((text) => `"""${text.replaceAll(/\\|"""/g, '')}"""`),
    secret.map((text) => `"""\n${text.replaceAll(/\\|"""/g, '')}\\\n  ""\\""""`),
    secret.map((text) => `'''\r\n${text.replaceAll("'''", '')}'''`),
    fc.constantFrom('1', '-1.5', 'true', '1979-05-27', '[]', '{}'),
  );
  const key = name.map((text) => (/^\w+$/.test(text) ? text : JSON.stringify(text)));
  const nested = fc.oneof(
    { weight: 3, arbitrary: value },
    fc.tuple(value, value, secret).map(([a, b, text]) => `[\n${a}, # ${line(text)}\n${b},\n]`),
    fc.tuple(key, value, value).map(([each, a, b]) => `{ ${each} = ${a}, z.y = [${b}] }`),
  );
  const lines = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(key, nested).map(([each, text]) => `${each} = ${text}`) },
    secret.map((text) => `# ${line(text)}`),
    fc.tuple(fc.nat(), key).map(([number, each]) => `[t${number} . ${each}]`),
    fc.constant(''),
  );
  let tried = 0;
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 8 }), (all) => {
      const text = all.map((each, index) => each.replace(/^(?=["\w])/u, `k${index}.`)).join('\n');
      if (!isToml(text)) return;
      tried++;
      expectNothingShown(clientOf('codex'), text);
    }),
    { numRuns: 500 },
  );
  expect(tried).toBeGreaterThan(100);
});

function expectNothingShown(client: InitClient, text: string): void {
  const whole = maskLines(text, client.format, [ENTRY, OLD_ENTRY]);
  expect(whole.join('\n')).not.toContain(MARK);
  // Hiding everything would be easy: the whole text must have been parsed.
  expect(whole).toHaveLength(text.split('\n').length);
  expect(whole.at(-1)).not.toBe('…');
  for (const outcome of outcomes(client, text)) {
    expect(outcome.hunk).toBeDefined();
    expect(JSON.stringify(outcomeJson(outcome))).not.toContain(MARK);
    expect(shownOn(outcome)).not.toContain(MARK);
  }
}

/** The diffs of adding our entry to a text, updating it and removing it. */
function outcomes(client: InitClient, before: string): InitOutcome[] {
  const format = SETTINGS_FORMATS[client.format];
  const member = client.keyPath((path) => format.at(before, path));
  const file = '/home/ada/settings';
  const foundAs = (text: string): SettingsFile => ({
    path: file,
    target: file,
    bytes: Buffer.from(text),
    text,
    mark: 'none',
    mode: 0o600,
    owner: { uid: 0, gid: 0 },
  });
  const { text, made } = withEntry(format, before, member, ENTRY);
  const record = { client: client.id, file, at: '', member, made, entry: ENTRY, after: '' };
  const earlier = { ...record, entry: OLD_ENTRY };
  const old = withEntry(format, before, member, OLD_ENTRY).text;
  const change = { client, file, text, member, made, entry: ENTRY };
  return [
    outcomeOfInit({ ...change, is: 'update', found: foundAs(before), earlier }),
    outcomeOfInit({ ...change, is: 'update', found: foundAs(old), earlier }),
    outcomeOfUndo({ client, record, is: 'take-out', found: foundAs(text), text: before }),
  ];
}

function shownOn(outcome: InitOutcome): string {
  let shown = '';
  const output = { write: (text: string) => void (shown += text) };
  const io: Io = {
    stdout: output,
    stderr: output,
    documents: output,
    editor: output,
    env: {},
    paint: (_, text) => text,
    charset: 'utf-8',
    progress: 'none',
    signal: new AbortController().signal,
  };
  printPlans(io, [outcome], { platform: 'linux', home: '/home/ada', env: {} });
  return shown;
}

/** JSON with these gaps, in turn, wherever whitespace is allowed. */
function writtenJson(value: unknown, gaps: readonly string[]): string {
  let count = 0;
  const gap = () => gaps[count++ % gaps.length] ?? '';
  const write = (each: unknown): string => {
    if (Array.isArray(each))
      return `[${each.map((item) => gap() + write(item) + gap()).join(',')}]`;
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([key, item]) => `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${write(item)}${gap()}`,
    );
    return `{${members.join(',')}${gap()}}`;
  };
  return gap() + write(value) + gap();
}

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    // Not every combination is TOML, and only valid TOML is shown.
    return false;
  }
}
