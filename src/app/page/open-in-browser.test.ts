import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInBrowser } from './open-in-browser.ts';

function makeDesktop() {
  const folder = mkdtempSync(join(tmpdir(), 'exai-desktop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const opened = join(folder, 'opened');
  const opener = join(folder, 'xdg-open');
  writeFileSync(
    opener,
    `#!/bin/sh\nexport PATH=/usr/bin:/bin\n(printf '%s\\n' "$1"; env) > '${opened}.new'; mv '${opened}.new' '${opened}'\n`,
  );
  chmodSync(opener, 0o755);
  return { folder, opened };
}

test('the file is given to the desktop, without keys and tokens', async () => {
  const { folder, opened } = makeDesktop();
  const env = {
    PATH: folder,
    DISPLAY: ':0',
    EXAI_TOKEN: 'secret-token',
    KIMI_API_KEY: 'sk-secret',
  };
  expect(await openInBrowser('/home/a b.html', env, 'linux')).toBe('opened');
  await expect.poll(() => existsSync(opened)).toBe(true);
  const seen = readFileSync(opened, 'utf8');
  expect(seen).toMatch(/^\/home\/a b\.html\n/);
  expect(seen).toContain('DISPLAY=:0');
  expect(seen).not.toContain('secret');
});

test('without a display, a program or a local terminal nothing is opened', async () => {
  const { folder, opened } = makeDesktop();
  const open = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    openInBrowser('/x.html', { PATH: folder, ...env }, platform);
  expect(await open({})).toBe('no_display');
  expect(await open({ SSH_CONNECTION: '1' })).toBe('remote');
  expect(await open({ SSH_CONNECTION: '1' }, 'darwin')).toBe('remote');
  expect(await open({ DISPLAY: ':0', PATH: '/nowhere' })).toBe('no_program');
  expect(await open({}, 'darwin')).toBe('no_program');
  expect(existsSync(opened)).toBe(false);
});
