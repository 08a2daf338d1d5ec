import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { settingDigests } from '#core/local-socket/hello.ts';
import { notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { verifies } from '../../../test/verifies.ts';
import { createClientSettings } from './daemon-notices.ts';

function settingsOf() {
  const root = mkdtempSync(join(tmpdir(), 'exai-settings-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { EXAI_HOME: root };
  return { root, ...createClientSettings(loadConfig({ env }), env) };
}

const KEY = 'sk-0123456789abcdef';
const theirs = (value = KEY) => settingDigests(['KIMI_API_KEY'], { KIMI_API_KEY: value });

verifies('shim:skew', 'a notice disappears with the last client that has the setting', () => {
  const it = settingsOf();
  expect(it.arrived({})).toEqual([]);
  const lacking = notice('setting_differs', {
    variable: 'KIMI_API_KEY',
    state: 'missing',
    command: 'exai keys add kimi',
  });
  expect(it.arrived(theirs())).toEqual([lacking]);
  expect(baseRenderer.notice(lacking)).toBe(
    'KIMI_API_KEY is set in the environment of a client, but the daemon has another value or none. ' +
      'To give it to the daemon: exai keys add kimi',
  );
  it.arrived(theirs());
  expect(it.notices()).toEqual([lacking]);
  it.left(theirs());
  it.left({});
  expect(it.notices()).toEqual([lacking]);
  it.left(theirs());
  it.left(theirs());
  expect(it.notices()).toEqual([]);
});

test('two clients with two values give one notice', () => {
  const it = settingsOf();
  it.arrived(theirs('one-value-of-a-key'));
  it.arrived(theirs('another-value-of-a-key'));
  expect(it.notices()).toHaveLength(1);
});

test('a setting that was stored in the meantime is reported so, also to connected clients', () => {
  const it = settingsOf();
  it.arrived(theirs());
  writeFileSync(join(it.root, '.env'), `KIMI_API_KEY=${KEY}\n`, { mode: 0o600 });
  const stored = notice('setting_differs', {
    variable: 'KIMI_API_KEY',
    state: 'stored',
    command: 'exai config reload',
  });
  expect(it.notices()).toEqual([stored]);
  expect(it.arrived(theirs())).toEqual([stored]);
  it.left(theirs());
  it.left(theirs());
  expect(it.notices()).toEqual([]);
});
