import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import { verifies } from '../../test/verifies.ts';
import { autostartOf } from './connect-to-daemon.ts';
import { clock, createReach } from './connect-to-daemon.fixture.ts';

verifies('shim:start', 'ten that need a daemon at once start one and use it', async () => {
  const { reach, starts, root } = createReach();
  const links = await Promise.all(Array.from({ length: 10 }, () => reach()));
  expect(starts()).toHaveLength(1);
  expect(starts()[0]).toMatch(/ serve --autostart --detach$/);
  expect(new Set(links.map(({ welcome }) => welcome.instance)).size).toBe(1);
  expect(readdirSync(root)).not.toContain('daemon.starting');
  expect(statSync(join(root, 'logs', 'daemon-start.log')).mode & 0o777).toBe(0o600);
});

test('a daemon that runs is used as it is', async () => {
  const { reach, starts } = createReach();
  await reach();
  const { welcome } = await reach();
  expect([welcome.version, starts().length]).toEqual(['1.0.0', 1]);
});

test('the socket file of a killed daemon does not prevent starting the next', async () => {
  const { reach, starts, root } = createReach();
  const first = await reach();
  const gone = new Promise<void>((resolve) => first.onClose(() => resolve()));
  process.kill(Number(first.welcome.instance), 'SIGKILL');
  await gone;
  // The lock of a real one goes with its process.
  rmdirSync(join(root, 'lock'));
  const second = await reach();
  expect(second.welcome.instance).not.toBe(first.welcome.instance);
  expect(starts()).toHaveLength(2);
});

test('a daemon that refuses to start is quoted', async () => {
  const { reach, starts, root } = createReach();
  await expect(reach({}, { FAIL: 'port must be a number.' })).rejects.toMatchObject({
    class: 'validation',
    message: 'port must be a number.',
    fix: 'Change it.',
  });
  expect(starts()).toHaveLength(1);
  expect(readdirSync(root)).not.toContain('daemon.starting');
});

test('a port in use is reported at once, and the output of the daemon stays readable', async () => {
  const { reach, starts, root } = createReach();
  const FAIL = 'Port 8765 on 127.0.0.1 is taken by another program.';
  const refused = () => reach({}, { FAIL, FAIL_CODE: '7' });
  await expect(refused()).rejects.toMatchObject({ class: 'conflict', message: FAIL });
  expect(starts()).toHaveLength(1);
  await expect(reach({}, { FAIL: 'Something else.' })).rejects.toThrow('Something else.');
  expect(readFileSync(join(root, 'logs', 'daemon-start.log.1'), 'utf8')).toContain(FAIL);
});

test('a home that another daemon holds is waited for, with fewer and fewer starts', async () => {
  const { reach, starts, root } = createReach();
  mkdirSync(join(root, 'lock'));
  const reached = reach();
  while (starts().length < 2) await new Promise((resolve) => setImmediate(resolve));
  rmdirSync(join(root, 'lock'));
  expect((await reached).welcome.version).toBe('1.0.0');
  expect(starts().length).toBeLessThanOrEqual(3);
});

test.each([
  ['by a signal', {}],
  ['by its own will', { EXIT: '0' }],
])('a daemon that is stopped %s while it starts is followed by the next', async (_how, env) => {
  const { reach, starts, root } = createReach();
  const { welcome } = await reach({}, { STOPPED: '2', ...env });
  expect([welcome.version, starts().length]).toEqual(['1.0.0', 3]);
  expect(readdirSync(root)).not.toContain('daemon.starting');
});

test('an unreadable start lock does not delay the start', async () => {
  const { reach, root } = createReach();
  const claim = join(root, 'daemon.starting');
  writeFileSync(claim, '');
  const twoSecondsOld = statSync(claim).mtimeMs + 2000;
  const { welcome } = await reach({ clock: { ...clock, now: () => twoSecondsOld } });
  expect(welcome.version).toBe('1.0.0');
});

test('a home that cannot be used is named with its variable, before and behind it', async () => {
  const { reach, root } = createReach();
  const file = join(root, 'file');
  writeFileSync(file, '');
  for (const EXAI_HOME of [file, join(file, 'home')]) {
    await expect(reach({ home: homePaths({ EXAI_HOME }) })).rejects.toMatchObject({
      class: 'permission',
      field: 'EXAI_HOME',
    });
  }
});

test('a program that cannot be run is reported', async () => {
  const { reach } = createReach();
  await expect(reach({ program: ['/no/such/program'] })).rejects.toMatchObject({
    class: 'not_found',
  });
});

test('nothing is started where that is switched off', async () => {
  const { reach, starts } = createReach();
  await expect(reach({ autostart: 'off' })).rejects.toMatchObject({
    class: 'network',
    fix: 'Start one with: exai start',
  });
  expect(starts()).toEqual([]);
});

verifies(
  'shim:skew',
  'an older daemon is asked to finish, and one of our version takes its place',
  async () => {
    const { reach, starts } = createReach();
    const old = await reach({}, { VERSION: '0.9.9' });
    // Whoever has no newer version uses what runs.
    expect(old.welcome.version).toBe('0.9.9');
    const fresh = await reach();
    expect(fresh.welcome.version).toBe('1.0.0');
    expect(fresh.welcome.instance).not.toBe(old.welcome.instance);
    expect(starts().length).toBeGreaterThanOrEqual(2);
    const newer = await reach({ version: '0.9.0' });
    expect(newer.welcome.instance).toBe(fresh.welcome.instance);
  },
);

verifies(
  'security:owner-stops',
  'with the token of a client an older daemon is used as it is, and its version is reported',
  async () => {
    const { reach, starts } = createReach();
    const old = await reach({ version: '0.9.9' }, { VERSION: '0.9.9' });
    const told: string[] = [];
    const link = await reach(
      { as: 'bearer', onOlderDaemon: (version) => void told.push(version) },
      { EXAI_TOKEN: 'the-token-of-a-client' },
    );
    expect(link.welcome.instance).toBe(old.welcome.instance);
    expect(told).toEqual(['0.9.9']);
    expect(starts()).toHaveLength(1);
  },
);

verifies(
  'security:owner-stops',
  'with a token that the daemon calls its owner’s an older daemon is replaced',
  async () => {
    const { reach } = createReach();
    const old = await reach({ version: '0.9.9' }, { VERSION: '0.9.9', OWNER: 'true' });
    const link = await reach({ as: 'bearer' }, { EXAI_TOKEN: 'the-token-of-the-owner' });
    expect(link.welcome.instance).not.toBe(old.welcome.instance);
    expect(link.welcome.version).toBe('1.0.0');
  },
);

test.each([
  [{}, 'on'],
  [{ EXAI_AUTOSTART: 'true' }, 'on'],
  [{ EXAI_AUTOSTART: 'False' }, 'off'],
  [{ EXAI_WS_AUTOSTART: '0' }, 'off'],
  [{ EXAI_AUTOSTART: 'yes', EXAI_WS_AUTOSTART: 'no' }, 'on'],
  [{ EXAI_AUTOSTART: '' }, 'on'],
])('with %j the starting of daemons is %s', (env, expected) => {
  expect(autostartOf(env)).toBe(expected);
});
