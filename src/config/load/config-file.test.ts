import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { tempHome } from '../temp-home.fixture.ts';

test.each([
  ['{"prot": 1}', '1:2: "prot" is not a setting, did you mean "port"?'],
  [
    '{\n "listener": {\n  "maxFrameByte": 1}}',
    '3:3: "maxFrameByte" is not a setting of "listener", did you mean "maxFrameBytes"?',
  ],
  [
    '{"providers": {"kimmi": {}}}',
    '1:16: "kimmi" is not a setting of "providers", did you mean "kimi"?',
  ],
  [
    '{"maxFrameBytes": 1}',
    '1:2: "maxFrameBytes" is not a setting; there is "listener.maxFrameBytes".',
  ],
  ['{"wholly unknown": 1}', '1:2: "wholly unknown" is not a setting.'],
  ['{"__proto__": {"port": 1}}', '1:2: "__proto__" is not a setting.'],
  ['{"constructor": 1}', '1:2: "constructor" is not a setting.'],
  ['{"log": {"toString": 1}}', '1:10: "toString" is not a setting of "log".'],
  ['{"log": {"$schema": ""}}', '1:10: "$schema" is not a setting of "log".'],
])('%s names the place and the nearest setting', (content, message) => {
  const it = tempHome();
  it.write('config.json', content);
  expect(it.refusal()).toBe(`<home>/config.json:${message}`);
});

verifies(
  'config:unknown-key',
  'an unknown name is refused with the nearest one of its own level',
  () => {
    const it = tempHome();
    it.write('config.json', '{"limits": {"kimmi": 3}}');
    expect(it.refusal()).toBe(
      '<home>/config.json:1:13: "kimmi" is not a setting of "limits", did you mean "kimi"?',
    );
  },
);

verifies('config:unknown-key', 'of very many unknown names the first are listed', () => {
  const it = tempHome();
  const names = Array.from({ length: 20_000 }, (_, n) => `"unknown ${n}": 1`);
  for (const between of [', ', ',\n']) {
    it.write('config.json', `{${names.join(between)}}`);
    const lines = it.refusal().split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('The configuration has 20,000 faults:');
    expect(lines[20]).toMatch(/^- <home>\/config\.json:\d+:\d+: "unknown 19" is not a setting\.$/);
    expect(lines[21]).toBe('… and 19,980 more');
  }
});

verifies('config:malformed', 'a malformed config.json is refused with line and column', () => {
  const it = tempHome();
  it.write('config.json', '{\r\n  "port": 1,\r\n}');
  expect(it.refusal()).toBe('<home>/config.json:3:1: The comma before this } must go.');
});

verifies(
  'config:malformed',
  'a malformed .env is refused with its line, and nothing of the line is shown',
  () => {
    const it = tempHome();
    it.write('.env', 'A=1\nsk-secret\nKIMI_API_KEY="sk-secret');
    expect(it.refusal()).toBe(
      [
        'The configuration has 2 faults:',
        '- <home>/.env:2: This line is not NAME=VALUE.',
        '- <home>/.env:3: The quotes around KIMI_API_KEY do not match; a value cannot span several lines.',
      ].join('\n'),
    );
  },
);

verifies('config:references', 'a reference is taken from the environment, then from .env', () => {
  const it = tempHome();
  it.write('.env', 'MY_KEY=from-file\nMY_PORT=99');
  it.write(
    'config.json',
    '{"token": "a-${MY_KEY}-$${b}", "port": "${MY_PORT}", "allowedDirs": ["/x/${MY_KEY}"]}',
  );
  expect(it.load().config).toMatchObject({
    token: 'a-from-file-${b}',
    port: 99,
    allowedDirs: ['/x/from-file'],
  });
  expect(it.load({ MY_KEY: 'from-env' }).config.token).toBe('a-from-env-${b}');
});

verifies('config:references', 'a missing one is named with its setting and place', () => {
  const it = tempHome();
  it.write('config.json', '{"token": "${NOWHERE}", "location": "${__proto__}"}');
  expect(it.refusal({ NOWHERE: '' }).split('\n').slice(1)).toEqual([
    '- token refers to ${NOWHERE} at <home>/config.json:1:11, but NOWHERE is not set.',
    '- location refers to ${__proto__} at <home>/config.json:1:37, but __proto__ is not set.',
  ]);
});

test('a reference that a stronger source overrides is not needed', () => {
  const it = tempHome();
  it.write('config.json', '{"token": "${NOWHERE}"}');
  expect(it.load({ EXAI_TOKEN: 't' }).config.token).toBe('t');
});

test('a ${ that names nothing is explained', () => {
  const it = tempHome();
  it.write('config.json', '{"location": "${not closed"}');
  expect(it.refusal()).toBe('location has a ${ that names no variable at <home>/config.json:1:14.');
});

test('a byte order mark and $schema are accepted', () => {
  const it = tempHome();
  it.write('config.json', '\uFEFF{"$schema": "x", "port": 5}');
  expect(it.load().config.port).toBe(5);
});

test('a file that is too large, no text, or no file is refused by its path', () => {
  const it = tempHome();
  it.write('config.json', `{"location": "${'x'.repeat(1_048_576)}"}`);
  expect(it.refusal()).toBe('<home>/config.json is larger than 1048576 bytes.');
  writeFileSync(it.home.configFile, Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
  expect(it.refusal()).toBe('<home>/config.json is not UTF-8 text.');
  mkdirSync(it.home.envFile);
  it.write('config.json', '{}');
  expect(it.refusal()).toBe('<home>/.env is not a file.');
});
