import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { INIT_CLIENTS } from './clients.ts';
import { createUser } from './init.fixture.ts';
import { isProgramInstalled } from './installed-programs.ts';
import type { PathContext } from './paths.ts';

/** A user whose machine has these programs, and nothing that a client has written. */
function installPrograms(...files: string[]) {
  const { root, machine, ...user } = createUser();
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
    chmodSync(join(root, file), 0o755);
  }
  const on = (platform: PathContext['platform'], PATH: string): PathContext => ({
    ...machine,
    platform,
    env: { PATH },
  });
  const found = (world: PathContext) =>
    INIT_CLIENTS.map(({ id }) => id).filter((id) => isProgramInstalled(id, world));
  return { root, machine, on, found, ...user };
}

test('a client is found by its program on PATH', () => {
  const { root, on, found } = installPrograms('bin/claude', 'bin/codex', 'bin/gemini', 'bin/code');
  expect(found(on('linux', join(root, 'bin')))).toEqual([
    'claude-code',
    'vscode',
    'codex',
    'gemini-cli',
  ]);
  expect(found(on('linux', '/nowhere'))).toEqual([]);
});

test('a client is found where its installer puts it, though PATH lacks it', () => {
  const { on, found } = installPrograms('.opencode/bin/opencode', '.local/bin/zed');
  expect(found(on('linux', ''))).toEqual(['opencode', 'zed']);
  const mac = installPrograms('Applications/Cursor.app/Contents/Info.plist');
  expect(mac.found(mac.on('darwin', ''))).toContain('cursor');
});

test('other programs of the same name are no clients', () => {
  const { root, on, found } = installPrograms(
    'sbin/zed',
    '.vscode-server/bin/remote-cli/code',
    'project/node_modules/.bin/codex',
  );
  const folders = ['sbin', '.vscode-server/bin/remote-cli', 'project/node_modules/.bin'];
  const PATH = folders.map((folder) => join(root, folder)).join(':');
  expect(found(on('linux', PATH))).toEqual([]);
});

verifies('init:never-started', 'a client that was never started gets its settings file', () => {
  const { root, machine, run, read, fileOf, undo } = installPrograms('.local/bin/claude');
  expect(machine.home).toBe(root);
  const written = run().filter((outcome) => outcome.written);
  expect(written.map(({ client, state }) => [client, state])).toEqual([['claude-code', 'create']]);
  expect(read(fileOf('claude-code')).toString()).toContain('"exai"');
  expect(undo()).toEqual({ 'claude-code': 'remove, written' });
});
