import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { acquireProcessLock } from '#store/process-lock.ts';
import { systemClock } from '../system.ts';
import { writeDaemonFile } from '../daemon-file.ts';
import { fakePrograms, type Said } from './fake-programs.fixture.ts';
import { installService } from './install-service.ts';
import { readState } from './launchd.ts';
import { removeService } from './remove-service.ts';
import { serviceStatus } from './service-status.ts';
import { openServiceWorld, settingsLeftBehind } from './service-world.ts';

const uid = process.getuid?.() ?? 0;
const target = `gui/${uid}/exai.daemon`;
const LATER = { force: 'never', start: 'at_login' } as const;

function tempHome(): string {
  const root = mkdtempSync(join(tmpdir(), 'exai-launchd-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function worldOf(root: string, path: string, platform = 'darwin') {
  return openServiceWorld({
    env: { HOME: root, EXAI_HOME: join(root, '.exai'), PATH: path, GLM_API_KEY: 'some.key0001' },
    platform,
    program: ['/usr/bin/node', '/opt/exai.cjs'],
    clock: systemClock,
    token: '',
    tell: () => undefined,
  });
}

verifies(
  'service:units',
  'a launch agent is written, loaded and looked at, each by a program with arguments alone',
  async () => {
    const root = tempHome();
    let loaded: 'loaded' | 'not' = 'not';
    const held: { release(): void }[] = [];
    onTestFinished(() => held.forEach((lock) => lock.release()));
    const launchctl = (_: string, [verb]: readonly string[]): Said => {
      if (verb === 'bootstrap') {
        loaded = 'loaded';
        held.push(becomeDaemon(join(root, '.exai')));
      }
      if (verb === 'bootout') loaded = 'not';
      if (verb === 'print') {
        const shown = `${target} = {\n\tstate = running\n\n\tpid = ${process.pid}\n}\n`;
        return loaded === 'loaded' ? { stdout: shown } : { code: 113, stderr: 'Could not find' };
      }
      return {};
    };
    const { path, calls, variables } = await fakePrograms(['launchctl'], launchctl);
    const file = join(root, 'Library', 'LaunchAgents', 'exai.daemon.plist');
    const later = await installService(worldOf(root, path), LATER);
    expect(later).toEqual({ file, change: 'written', enabled: true });
    expect(calls.splice(0)).toEqual([
      `launchctl print-disabled gui/${uid}`,
      `launchctl enable ${target}`,
    ]);
    expect(readFileSync(file, 'utf8')).toContain(`<string>${join(root, '.exai')}</string>`);
    expect(readFileSync(file, 'utf8')).not.toContain('some.key0001');

    const now = await installService(worldOf(root, path), { force: 'never', start: 'now' });
    expect(now).toMatchObject({ change: 'none', enabled: true, daemon: { pid: process.pid } });
    expect(calls.splice(0)).toContain(`launchctl bootstrap gui/${uid} ${file}`);
    const again = await installService(worldOf(root, path), { force: 'never', start: 'now' });
    expect(again).toEqual({ ...now, change: 'none' });
    expect(calls.splice(0).filter((call) => /boot/.test(call))).toEqual([]);
    expect(await serviceStatus(worldOf(root, path))).toMatchObject({
      found: { is: 'current' },
      state: { enabled: true, is: 'running', pid: process.pid },
      runs: 'as_service',
    });
    expect(new Set(variables.flat())).toEqual(new Set(['PATH', 'HOME', 'LC_ALL']));
  },
);

verifies(
  'service:careful',
  'a launch agent whose session cannot be reached is written, and the commands are told',
  async () => {
    const root = tempHome();
    const { path } = await fakePrograms(['launchctl'], () => ({
      code: 125,
      stderr: 'Domain does not support specified action\n',
    }));
    const world = worldOf(root, path);
    const { file } = world.manager;
    expect(await installService(world, { force: 'never', start: 'now' })).toMatchObject({
      change: 'written',
      enabled: false,
      trouble: {
        error: {
          class: 'tool_error',
          message:
            'launchctl print-disabled failed with code 125: Domain does not support specified action',
        },
        commands: [`launchctl enable ${target}`, `launchctl bootstrap gui/${uid} ${file}`],
      },
    });
    const removed = await removeService(world, 'never');
    expect(removed).toMatchObject({
      was: 'removed',
      trouble: { commands: [`launchctl bootout ${target}`] },
    });
    expect(existsSync(file)).toBe(false);
    expect(await removeService(world, 'never')).toEqual({ file, was: 'absent' });
  },
);

test('what launchctl prints for people is read as far as it can be', () => {
  const shown = (stdout: string, code = 0) => ({ code, stdout, stderr: '' });
  expect(readState('', shown('', 113))).toEqual({
    enabled: true,
    is: 'stopped',
    detail: 'not loaded',
  });
  const failed = '\tstate = not running\n\tlast exit code = 7\n\tendpoints = {\n\t\tstate = up\n';
  expect(readState('\t"exai.daemon" => disabled\n', shown(failed))).toEqual({
    enabled: false,
    is: 'failed',
    detail: 'not running, last exit code 7',
  });
  expect(readState('"exaixdaemon" => true\n', shown('no words of ours'))).toEqual({
    enabled: true,
    is: 'stopped',
    detail: 'unknown',
  });
});

test.each([
  { platform: 'win32', name: 'Windows', fix: 'schtasks /Create' },
  {
    platform: 'freebsd',
    name: 'freebsd',
    fix: 'Have your system start it at login with: exai serve',
  },
])('on $platform it says what to do instead', ({ platform, name, fix }) => {
  expect(() => worldOf(tempHome(), '', platform)).toThrow(
    expect.objectContaining({
      class: 'not_configured',
      message: `EX-AI installs no service on ${name}.`,
      fix: expect.stringContaining(fix) as string,
    }) as Error,
  );
});

test('settings that only the environment has are named, those that the home has, too, are not', () => {
  const root = tempHome();
  const env = { HOME: root, EXAI_HOME: root, GLM_API_KEY: 'some.key0001', EXAI_PORT: '9000' };
  expect(settingsLeftBehind(env)).toEqual(['EXAI_PORT', 'GLM_API_KEY']);
  writeFileSync(join(root, '.env'), 'GLM_API_KEY=some.key0001\n', { mode: 0o600 });
  expect(settingsLeftBehind(env)).toEqual(['EXAI_PORT']);
  expect(settingsLeftBehind({ ...env, EXAI_PORT: 'many' })).toEqual([]);
});

/** As a daemon does: the lock of its home, and the record of where it is. */
function becomeDaemon(home: string): { release(): void } {
  mkdirSync(home);
  writeDaemonFile(join(home, 'daemon.json'), {
    pid: process.pid,
    url: 'http://127.0.0.1:1',
    host: '127.0.0.1',
    port: 1,
    version: '1.0.0',
    startedAt: new Date(0).toISOString(),
    node: process.version,
    instance: 'one',
    pidNamespace: '',
    storedIn: 'nowhere',
  });
  const lock = acquireProcessLock(join(home, 'daemon.lock'));
  if (!lock) throw new Error('The home is taken');
  return lock;
}
