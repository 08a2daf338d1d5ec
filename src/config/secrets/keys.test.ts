import { execFile, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { addKey, KEY_NAMES, listKeys, overrulingVariable, removeKey } from './keys.ts';
import { tempHome } from '../temp-home.fixture.ts';

const KEY = 'sk-0123456789abcdefghij';

verifies('keys:add', 'a key is stored with mode 0600 and takes effect', () => {
  const it = tempHome();
  addKey(it.home, 'kimi', `  ${KEY}\n`);
  expect(statSync(it.home.envFile).mode & 0o777).toBe(0o600);
  expect(it.load().config.providers.kimi.apiKey).toBe(KEY);
  expect(readdirSync(it.home.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

verifies(
  'keys:add',
  'the key replaces one under any of its names and leaves the rest alone',
  () => {
    const it = tempHome();
    it.write(
      '.env',
      '# mine\nexport MOONSHOT_API_KEY=old # note\nbroken line\nOTHER=1\nKIMI_API_KEY=x',
      0o644,
    );
    addKey(it.home, 'kimi', 'new key');
    expect(readFileSync(it.home.envFile, 'utf8')).toBe(
      "# mine\nexport KIMI_API_KEY='new key'\nbroken line\nOTHER=1\n",
    );
    expect(statSync(it.home.envFile).mode & 0o777).toBe(0o600);
  },
);

verifies('keys:add', 'keys that are stored at the same moment are all stored', async () => {
  const it = tempHome();
  const fixture = fileURLToPath(new URL('add-keys.fixture.ts', import.meta.url));
  await Promise.all(
    KEY_NAMES.map((name) =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', fixture, it.home.root, name, '25']),
    ),
  );
  const lines = readFileSync(it.home.envFile, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(KEY_NAMES.length);
  for (const line of lines) expect(line).toMatch(/=key-25$/);
  expect(readdirSync(it.home.root).filter((name) => name.startsWith('.env'))).toEqual(['.env']);
});

verifies('keys:add', 'a key that is too long is refused as that, and nothing is written', () => {
  const it = tempHome();
  expect(() => addKey(it.home, 'kimi', 'k'.repeat(8193))).toThrow(
    /^The key is too long: it may have 8192 characters at most\.$/,
  );
  expect(readdirSync(it.home.root)).toEqual([]);
  addKey(it.home, 'kimi', 'k'.repeat(8192));
  expect(it.load().config.providers.kimi.apiKey).toHaveLength(8192);
});

verifies('keys:add', 'a broken config.json does not prevent storing a key', () => {
  const it = tempHome();
  it.write('config.json', '{broken');
  addKey(it.home, 'kimi', KEY);
  expect(readFileSync(it.home.envFile, 'utf8')).toBe(`KIMI_API_KEY=${KEY}\n`);
  expect(overrulingVariable({ MOONSHOT_API_KEY: 'x', KIMI_API_KEY: '' }, 'kimi')).toBe(
    'MOONSHOT_API_KEY',
  );
  expect(overrulingVariable({}, 'kimi')).toBeUndefined();
});

test.each<[string, (path: string) => unknown, string]>([
  ['a folder', (path) => mkdirSync(path), 'is not a file.'],
  ['a pipe', (path) => spawnSync('mkfifo', [path]), 'is not a file.'],
  ['a device', (path) => symlinkSync('/dev/zero', path), 'is not a file.'],
  ['a link to itself', (path) => symlinkSync(path, path), 'is a link that leads back to itself.'],
  [
    'a link to nothing',
    (path) => symlinkSync('/nowhere/.env', path),
    'is a link to a file that is not there.',
  ],
  ['no text', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe])), 'is not UTF-8 text.'],
  ['too large', (path) => writeFileSync(path, '#'.repeat(2_000_000)), 'is larger than'],
])('a .env that is %s is refused with a message', (_what, make, message) => {
  const it = tempHome();
  make(it.home.envFile);
  const before = lstatSync(it.home.envFile).mode;
  expect(() => addKey(it.home, 'kimi', KEY)).toThrow(message);
  expect(lstatSync(it.home.envFile).mode).toBe(before);
});

test.each<[string, (path: string) => unknown]>([
  ['a pipe', (path) => spawnSync('mkfifo', [path])],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to nothing', (path) => symlinkSync('/nowhere/.env', path)],
])('loading a .env that is %s refuses it with a message', (_what, make) => {
  const it = tempHome();
  make(it.home.envFile);
  expect(it.refusal()).toMatch(
    /^<home>\/\.env is (?:not a file|a link (?:that leads|to a file that is not there))/,
  );
});

verifies('keys:add', 'a key in quotes, or after Bearer, is refused with what to leave out', () => {
  const it = tempHome();
  for (const value of [`"${KEY}"`, `'${KEY}'`, `${KEY}"`, `Bearer ${KEY}`, `bearer\t${KEY}`]) {
    expect(() => addKey(it.home, 'kimi', value)).toThrow(
      expect.objectContaining({
        class: 'validation',
        message: expect.not.stringContaining(KEY) as string,
        fix: expect.stringMatching(/^Give it again without/) as string,
      }) as Error,
    );
  }
  expect(readdirSync(it.home.root)).toEqual([]);
});

verifies('keys:add', 'what cannot be a key is refused without being shown', () => {
  const it = tempHome();
  for (const value of ['', '  \n', 'hunter\n2', 'hunter\u00002', 'hunt“er2']) {
    expect(() => addKey(it.home, 'glm', value)).toThrow(/^The key (is empty|has a line break)/);
  }
  expect(() => addKey(it.home, 'kimmi', KEY)).toThrow(
    'There is no key "kimmi", did you mean "kimi"?',
  );
  expect(readdirSync(it.home.root)).toEqual([]);
});

verifies('keys:remove', 'only the lines of that key go', () => {
  const it = tempHome();
  const rest =
    '# mine\r\nGLM_API_KEY=g\r\nbroken line\r\n  # KIMI_API_KEY=comment\r\nKIMI_API_KEYS=1';
  it.write('.env', `MOONSHOT_API_KEY=a\r\n${rest}`);
  expect(removeKey(it.home, 'kimi')).toBe('removed');
  expect(readFileSync(it.home.envFile, 'utf8')).toBe(rest);
  expect(removeKey(it.home, 'kimi')).toBe('absent');
});

test('removing from a home without .env makes none', () => {
  const it = tempHome();
  expect(removeKey(it.home, 'kimi')).toBe('absent');
  expect(readdirSync(it.home.root)).toEqual([]);
});

test('a .env that is a link stays one', () => {
  const it = tempHome();
  const real = join(it.home.root, 'real.env');
  writeFileSync(real, 'A=1\n');
  symlinkSync(real, it.home.envFile);
  addKey(it.home, 'OPENROUTER_API_KEY', KEY);
  expect(lstatSync(it.home.envFile).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toBe(`A=1\nOPENROUTER_API_KEY=${KEY}\n`);
});

test('a key that no feature uses is listed only where it is set, and can be stored all the same', () => {
  const it = tempHome();
  const names = () => listKeys(it.load()).map(({ name }) => name);
  expect(names()).toEqual(KEY_NAMES);
  expect(names()).not.toContain('vision');
  addKey(it.home, 'vision', KEY);
  expect(names()).toContain('vision');
  expect(() => addKey(it.home, 'visoin', KEY)).toThrow('There is no key');
});

test('the list tells which keys are there, masked, and where each came from', () => {
  const it = tempHome();
  addKey(it.home, 'glm', KEY);
  const keys = listKeys(it.load({ COMPOSIO_API_KEY: 'short' }));
  expect(keys.filter(({ set }) => set)).toEqual([
    {
      name: 'glm',
      env: 'GLM_API_KEY',
      title: 'GLM (Z.ai)',
      set: true,
      used: true,
      masked: '****ghij',
      origin: { kind: 'dotenv', name: 'GLM_API_KEY', file: it.home.envFile, line: 1 },
      where: 'https://z.ai/manage-apikey/apikey-list',
    },
    {
      name: 'composio',
      env: 'COMPOSIO_API_KEY',
      title: 'Composio',
      set: true,
      used: true,
      masked: '****',
      origin: { kind: 'env', name: 'COMPOSIO_API_KEY' },
      where: 'https://platform.composio.dev',
    },
  ]);
});
