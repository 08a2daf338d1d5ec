import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findLaunchCommands as findCommands, type RunningCli } from './launch-command.ts';
import { systemClock } from '#app/system.ts';
import { loginPathFolders } from './login-path.ts';
import type { PathContext } from './paths.ts';
import { userPathFolders } from './user-path.ts';

/** With a login shell that has the folders of this shell, and Node.js. */
function findLaunchCommands(running: RunningCli, machine: PathContext) {
  const folders = [...userPathFolders(machine), dirname(process.execPath)];
  return findCommands(running, machine, folders);
}

/** An installation with a version in its path, and a folder on PATH with links into it. */
function install() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exai-program-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['bin', 'exai-1.0/bin', 'node-20/bin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const script = join(root, 'exai-1.0/bin/exai.cjs');
  const node = join(root, 'node-20/bin/node');
  for (const file of [script, node]) {
    writeFileSync(file, '');
    chmodSync(file, 0o755);
  }
  const link = (target: string, name: string) => symlinkSync(target, join(root, 'bin', name));
  const machine = (platform: PathContext['platform']): PathContext => ({
    platform,
    home: root,
    env: { PATH: `relative:/nowhere:${join(root, 'bin')}` },
  });
  return { root, script, node, link, machine, running: { node, script, home: undefined } };
}

test('a shell client starts exai where that is this program, a desktop client uses absolute paths', () => {
  const { root, script, node, link, machine, running } = install();
  link(script, 'exai');
  link(node, 'node');
  for (const platform of ['linux', 'darwin'] as const) {
    expect(findLaunchCommands(running, machine(platform))).toEqual({
      shell: { command: 'exai', args: ['stdio'] },
      desktop: { command: join(root, 'bin/node'), args: [join(root, 'bin/exai'), 'stdio'] },
    });
  }
});

test('another exai, another node, or none, and there are whole paths for all', () => {
  const { root, script, node, link, machine, running } = install();
  const whole = { command: node, args: [script, 'stdio'] };
  expect(findLaunchCommands(running, machine('linux'))).toEqual({ shell: whole, desktop: whole });
  writeFileSync(join(root, 'other'), '');
  link(join(root, 'other'), 'exai');
  link(join(root, 'other'), 'node');
  expect(findLaunchCommands(running, machine('linux'))).toEqual({ shell: whole, desktop: whole });
});

test('Windows, where exai is a .cmd, gets whole paths', () => {
  const { script, node, machine, running } = install();
  const whole = { command: node, args: [script, 'stdio'] };
  expect(findLaunchCommands(running, machine('win32'))).toEqual({ shell: whole, desktop: whole });
});

test('a home of one’s own goes with it, and a link to the script is followed', () => {
  const { root, script, link, machine, running } = install();
  link(script, 'exai');
  const given = { ...running, script: join(root, 'bin/exai'), home: '/e' };
  expect(findLaunchCommands(given, machine('linux')).shell).toEqual({
    command: 'exai',
    args: ['stdio'],
    env: { EXAI_HOME: '/e' },
  });
});

test('sources that are run as they are tell no client how to start them', () => {
  const { root, machine, running } = install();
  for (const script of ['', join(root, 'bin'), '/nowhere/exai.cjs']) {
    expect(() => findLaunchCommands({ ...running, script }, machine('linux'))).toThrow(
      /built program/,
    );
  }
});

test.each(['_npx/1a2b/node_modules/.bin', 'project/node_modules/.bin', 'cache/bin'])(
  'exai in %s, which npm puts on PATH for a while, is not on the PATH of the user',
  (folder) => {
    const { root, script, node, machine, running } = install();
    mkdirSync(join(root, folder), { recursive: true });
    symlinkSync(script, join(root, folder, 'exai'));
    const { env, ...rest } = machine('linux');
    const PATH = `${join(root, folder)}:${env['PATH']}`;
    const given = { ...rest, env: { PATH, npm_config_cache: join(root, 'cache') } };
    const whole = { command: node, args: [script, 'stdio'] };
    const started = { ...running, script: join(root, folder, 'exai') };
    expect(findLaunchCommands(started, given)).toEqual({ shell: whole, desktop: whole });
  },
);

test('a file called exai that cannot be run does not hide the one behind it', () => {
  const { root, script, link, machine, running } = install();
  link(script, 'exai');
  mkdirSync(join(root, 'first'));
  writeFileSync(join(root, 'first/exai'), '', { mode: 0o644 });
  const { env, ...rest } = machine('linux');
  const given = { ...rest, env: { PATH: `${join(root, 'first')}:${env['PATH']}` } };
  expect(findLaunchCommands(running, given).shell.command).toBe('exai');
});

/** The program in the cache of npx, as npx leaves it there. */
function fetchWithNpx(root: string, packages: readonly string[]): string {
  const folder = join(root, '_npx/1a2b');
  const script = join(folder, 'node_modules/exai/bin/exai.cjs');
  mkdirSync(join(folder, 'node_modules/exai/bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/exai/package.json'), '{"name":"exai"}');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ _npx: { packages } }));
  writeFileSync(script, '');
  return script;
}

test.each([
  [['/tmp/exai 1.tgz'], "npm install --global '/tmp/exai 1.tgz', then run exai init."],
  [['exai@0.2'], 'npm install --global exai@0.2, then run exai init.'],
  [['exai', 'other'], 'npm install --global exai, then run exai init.'],
])('a program that npx fetched as %j is refused, as it does not stay', (packages, fix) => {
  const { root, machine, running } = install();
  const script = fetchWithNpx(root, packages);
  const find = () => findLaunchCommands({ ...running, script }, machine('linux'));
  expect(find).toThrow(expect.objectContaining({ class: 'conflict', fix }));
});

test('an installed program stands in for the one that npx fetched', () => {
  const { root, script, link, machine, running } = install();
  link(script, 'exai');
  const fetched = fetchWithNpx(root, ['exai']);
  expect(findLaunchCommands({ ...running, script: fetched }, machine('linux')).shell).toEqual({
    command: 'exai',
    args: ['stdio'],
  });
});

test('a program that only the current shell finds gets whole paths', () => {
  const { root, script, link, machine, running } = install();
  link(script, 'exai');
  const folders = [dirname(process.execPath)];
  const { shell, desktop } = findCommands(running, machine('linux'), folders);
  expect(shell).toEqual(desktop);
  expect(shell.args).toEqual([join(root, 'bin/exai'), 'stdio']);
});

test.skipIf(process.platform === 'win32')(
  'the PATH of a login shell is that of its profile',
  async () => {
    const { root, machine } = install();
    writeFileSync(join(root, '.profile'), 'echo Welcome\nPATH="/own/bin:relative:$PATH"\n');
    const asked = { ...machine('linux'), env: { SHELL: '/bin/sh', PATH: '/current/bin' } };
    const folders = await loginPathFolders(asked, systemClock);
    expect(folders[0]).toBe('/own/bin');
    expect(folders).not.toContain('relative');
    expect(folders).not.toContain('/current/bin');
    const hostile = { ...asked, env: { SHELL: '/nowhere/shell' } };
    expect((await loginPathFolders(hostile, systemClock))[0]).toBe('/own/bin');
  },
);
