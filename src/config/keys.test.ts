import {
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { addKey, KEY_NAMES, listKeys, removeKey } from './keys.ts';
import { tempHome } from './temp-home.fixture.ts';

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

test('the list tells which keys are there, masked, and where each came from', () => {
  const it = tempHome();
  addKey(it.home, 'glm', KEY);
  const keys = listKeys(it.load({ COMPOSIO_API_KEY: 'short' }));
  expect(keys.map(({ name }) => name)).toEqual(KEY_NAMES);
  expect(keys.filter(({ set }) => set)).toEqual([
    {
      name: 'glm',
      env: 'GLM_API_KEY',
      title: 'GLM (Z.ai)',
      set: true,
      masked: '****ghij',
      origin: { kind: 'dotenv', name: 'GLM_API_KEY', file: it.home.envFile, line: 1 },
      where: 'https://z.ai/manage-apikey/apikey-list',
    },
    {
      name: 'composio',
      env: 'COMPOSIO_API_KEY',
      title: 'Composio',
      set: true,
      masked: '****',
      origin: { kind: 'env', name: 'COMPOSIO_API_KEY' },
      where: 'https://platform.composio.dev',
    },
  ]);
});
