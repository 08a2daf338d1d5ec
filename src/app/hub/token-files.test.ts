import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { StoredLogin } from '#hub/login/stored-login.ts';
import { openTokenFiles } from './token-files.ts';

const LOGIN: StoredLogin = {
  server: 'notes',
  url: 'https://notes.example/mcp',
  principal: 'local',
  configuredClient: '',
  issuer: 'https://as.example',
  authorizationServerUrl: 'https://as.example',
  client: { client_id: 'one' },
  tokens: { accessToken: 'access', refreshToken: 'refresh', expiresAt: 1 },
};

function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'exai-logins-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const logged: string[] = [];
  const files = openTokenFiles(dir, { warn: (event) => void logged.push(event) });
  const logins = join(dir, 'logins');
  const fileOf = () => join(logins, readdirSync(logins)[0] ?? '');
  return { dir, logins, files, logged, fileOf };
}

verifies(
  'login:files',
  'a link in the place of a login is not followed, and its target stays as it is',
  () => {
    const { dir, logins, files, logged, fileOf } = folder();
    files.write(LOGIN);
    const target = join(dir, 'elsewhere.json');
    renameSync(fileOf(), target);
    chmodSync(target, 0o644);
    const name = 'notes-0123456789ab.json';
    symlinkSync(target, join(logins, name));
    expect(files.list('notes')).toEqual([]);
    expect(statSync(target).mode & 0o777).toBe(0o644);
    expect(logged).toEqual(['upstream_login_unreadable']);
  },
);

test('a link in the place of the own file is replaced by the next login', () => {
  const { dir, files, fileOf } = folder();
  files.write(LOGIN);
  const own = fileOf();
  const target = join(dir, 'elsewhere.json');
  renameSync(own, target);
  symlinkSync(target, own);
  expect(files.read('notes', 'local')).toBeUndefined();
  files.write(LOGIN);
  expect(files.read('notes', 'local')).toEqual(LOGIN);
});

const CRAFTED: readonly (readonly [what: string, content: string])[] = [
  ['no JSON', '{'],
  ['another version', JSON.stringify({ ...LOGIN, version: 2 })],
  ['no object', '[]'],
  ['a token of two lines', withTokens({ accessToken: 'a\r\nx-other: 1' })],
  ['an empty token', withTokens({ accessToken: '' })],
  ['a number for a refresh token', withTokens({ accessToken: 'a', refreshToken: 5 })],
  ['a text for a time', withTokens({ accessToken: 'a', expiresAt: 'soon' })],
  ['a list for a scope', withTokens({ accessToken: 'a', scope: ['b'] })],
  [
    'a number for a secret',
    JSON.stringify({ version: 1, ...LOGIN, client: { client_id: 'a', client_secret: 5 } }),
  ],
  [
    'a text for metadata',
    JSON.stringify({ version: 1, ...LOGIN, metadata: 'https://other.example' }),
  ],
  ['more than a megabyte', withTokens({ accessToken: 'a'.repeat(1_048_577) })],
];

function withTokens(tokens: object): string {
  return JSON.stringify({ version: 1, ...LOGIN, tokens });
}

test.each(CRAFTED)('a file with %s is no login', (_what, content) => {
  const { files, logged, fileOf } = folder();
  files.write(LOGIN);
  writeFileSync(fileOf(), content);
  expect(files.read('notes', 'local')).toBeUndefined();
  expect(files.list('notes')).toEqual([]);
  expect(logged.every((event) => event === 'upstream_login_unreadable')).toBe(true);
});

test('a folder in the place of a login is no login, and other files of it are read', () => {
  const { logins, files } = folder();
  files.write(LOGIN);
  mkdirSync(join(logins, 'notes-ffffffffffff.json'));
  expect(files.list('notes')).toEqual([LOGIN]);
});
