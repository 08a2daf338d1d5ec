import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { homePaths, prepareHome } from './home.ts';
import { tempHome } from '../temp-home.fixture.ts';

const NOBODY = 65_534;

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

function refusalOf(root: string): CallError {
  try {
    prepareHome(homePaths({ EXAI_HOME: root }));
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
  throw new Error(`${root} was not refused`);
}

test('the home is .exai in the folder of the user, or what EXAI_HOME says', () => {
  expect(homePaths({ HOME: '/home/me' }).root).toBe('/home/me/.exai');
  expect(homePaths({ HOME: '/home/me', EXAI_HOME: '' }).root).toBe('/home/me/.exai');
  expect(homePaths({ HOME: '/home/me', EXAI_HOME: '~/x' }).root).toBe('/home/me/x');
  const { root, ...inside } = homePaths({ EXAI_HOME: '/srv/exai' });
  expect(Object.values(inside).every((path) => path.startsWith(`${root}/`))).toBe(true);
});

test('the folders are made for their owner alone', () => {
  const root = join(tempHome().home.root, 'deep', 'home');
  const home = homePaths({ EXAI_HOME: root });
  prepareHome(home);
  for (const folder of [home.root, home.dataDir, home.logDir, home.backupDir, home.workspaceDir]) {
    expect([folder, modeOf(folder)]).toEqual([folder, 0o700]);
  }
  prepareHome(home);
});

test('a home that is open to others is closed', () => {
  const { home } = tempHome();
  chmodSync(home.root, 0o755);
  prepareHome(home);
  expect(modeOf(home.root)).toBe(0o700);
});

verifies(
  'config:unwritable-home',
  'a home that may not be written names its path and EXAI_HOME',
  () => {
    const { root } = tempHome().home;
    const locked = join(root, 'locked');
    mkdirSync(locked, { mode: 0o555 });
    chmodSync(root, 0o755);
    // Root may write anywhere, so the test gives that up for its length.
    if (process.geteuid?.() === 0) {
      process.seteuid?.(NOBODY);
      onTestFinished(() => process.seteuid?.(0));
    }
    const refusal = refusalOf(join(locked, 'home'));
    expect(refusal.toJSON()).toEqual({
      class: 'permission',
      message: `EX-AI cannot use its home ${locked}/home. Permission denied: "${locked}/home".`,
      field: 'EXAI_HOME',
      fix: 'Set EXAI_HOME to a folder that you may write to. Or make that folder writable for you.',
      fixes: [
        {
          kind: 'set_setting',
          params: { setting: 'EXAI_HOME', value: 'a folder that you may write to' },
        },
        { kind: 'advice', params: { text: 'Or make that folder writable for you.' } },
      ],
    });
    expect(existsSync(join(locked, 'home'))).toBe(false);
  },
);

verifies(
  'config:unwritable-home',
  'a file in place of the home, or above it, is refused likewise',
  () => {
    const file = join(tempHome().home.root, 'file');
    writeFileSync(file, '');
    for (const root of [file, join(file, 'home')]) {
      const refusal = refusalOf(root);
      expect(refusal.class).toBe('permission');
      expect(refusal.message).toContain(`EX-AI cannot use its home ${root}.`);
    }
  },
);
