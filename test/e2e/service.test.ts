import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakePrograms } from '../../src/app/service/fake-programs.fixture.ts';
import { fakeSystemd } from '../../src/app/service/fake-systemd.fixture.ts';
import { parseUnit } from '../../src/app/service/systemd-parse.fixture.ts';
import { verifies } from '../verifies.ts';
import { BIN, createPlainHome, runScript } from './exai.ts';
import { startShim } from './shim-client.ts';
import { callStatus, daemonPid, SUCCESS } from './shim-home.ts';

const SECRET = 'a-key-of-the-environment-0001';

/**
 * A user with a home of EX-AI whose name is hard to quote, and whose daemon takes any free port.
 */
function user() {
  const home = createPlainHome();
  const exaiHome = home.path('it\'s 100% "mine" $HOME \\ ${x}');
  mkdirSync(exaiHome, { mode: 0o700 });
  writeFileSync(join(exaiHome, 'config.json'), '{"port": 0}');
  const env = { EXAI_HOME: exaiHome, KIMI_API_KEY: SECRET };
  onTestFinished(async () => {
    await home.exai(['stop'], { env });
  });
  const unit = home.path('.config', 'systemd', 'user', 'exai.service');
  /** `exai service …` where the programs of a folder are found before those of the machine. */
  const service = (path: string, ...args: string[]) =>
    home.exai(['service', ...args], { env: { ...env, PATH: path } });
  return { ...home, exaiHome, env, unit, service };
}

verifies(
  'service:units',
  'a service is installed once, runs, is looked at, and is gone without a trace',
  async () => {
    const { root, exaiHome, unit, service } = user();
    const { path, calls, variables, pid } = await fakeSystemd(root);
    const first = await service(path, 'install');
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^Wrote the service to ${unit}\\.\nThe service runs at http:\\S+ \\(pid ${pid()}\\)\\.\n$`,
        ),
      ),
    ]);
    expect(first.stderr).toContain('the service does not have them: KIMI_API_KEY.');
    expect(calls.filter((call) => !call.includes(' show '))).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable --now exai.service',
    ]);
    expect(variables.flat()).not.toContain('KIMI_API_KEY');
    const text = readFileSync(unit, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(parseUnit(text)).toMatchObject({
      command: [process.execPath, BIN, 'serve'],
      environment: { EXAI_HOME: exaiHome },
      settings: { 'Service.TimeoutStopSec': '40' },
    });

    const [before, runs] = [calls.length, pid()];
    const second = await service(path, 'install', '--json');
    expect([second.code, JSON.parse(second.stdout)]).toEqual([
      0,
      expect.objectContaining({ change: 'none', enabled: true }),
    ]);
    expect(pid()).toBe(runs);
    expect(calls.slice(before).join()).not.toContain('--now');
    expect(readFileSync(unit, 'utf8')).toBe(text);

    const status = await service(path, 'status', '--json');
    expect([status.code, JSON.parse(status.stdout)]).toEqual([
      0,
      expect.objectContaining({
        installed: true,
        enabled: true,
        running: true,
        file_is: 'current',
        service_home: exaiHome,
        daemon: expect.objectContaining({ pid: runs }) as object,
      }),
    ]);
    expect((await service(path, 'status')).stdout).toMatch(
      /^installed {2}yes\nenabled {4}yes\nrunning {4}yes, at http/,
    );

    const removed = await service(path, 'remove');
    expect(removed).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(
          `^Stopped its daemon at http:\\S+ \\(pid ${runs}\\)\\.\nRemoved the service from ${unit}\\.\n$`,
        ),
      ) as string,
    });
    expect([pid(), readdirSync(join(unit, '..'), { recursive: true })]).toEqual([
      undefined,
      ['default.target.wants'],
    ]);
    expect(await service(path, 'remove')).toMatchObject({
      code: 0,
      stdout: `Nothing to remove: no service is installed (${unit}).\n`,
    });
    expect(await service(path, 'status')).toMatchObject({
      code: 6,
      stdout: expect.stringContaining('installed  no; exai service install does it') as string,
    });
  },
);

verifies(
  'service:careful',
  'clients use the daemon of the service, and the service takes the place of theirs',
  async () => {
    const { root, exaiHome, env, exai, service } = user();
    const { path, pid, exited } = await fakeSystemd(root);
    const shim = startShim(root, { env });
    await shim.initialize();
    const theirs = daemonPid(exaiHome);
    const installed = await service(path, 'install');
    expect(installed.stdout).toMatch(
      new RegExp(`\nStopped the daemon at http:\\S+ \\(pid ${theirs}\\) to make room\\.\n`),
    );
    expect(installed.code).toBe(0);
    expect((await shim.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    const other = startShim(root, { env });
    await other.initialize();
    expect(daemonPid(exaiHome)).toBe(pid());

    // What `exai stop` stops stays stopped, until a client needs one.
    await exai(['stop'], { env });
    expect([await exited(), pid()]).toEqual([0, undefined]);
    expect((await other.request('tools/call', callStatus)).result).toMatchObject(SUCCESS);
    expect(daemonPid(exaiHome)).not.toBe(theirs);
    const otherwise = await service(path, 'status');
    expect([otherwise.code, otherwise.stdout]).toEqual([
      6,
      expect.stringContaining('no; a daemon that was started otherwise runs at http'),
    ]);

    // A service that comes second refuses with the code that its unit gives up on, and harms
    // nobody.
    const running = daemonPid(exaiHome);
    expect(await runScript(root, BIN, ['serve'], { env })).toMatchObject({ code: 7 });
    expect(daemonPid(exaiHome)).toBe(running);

    // Removing it leaves the daemon of others alone.
    expect((await service(path, 'remove')).code).toBe(0);
    expect(daemonPid(exaiHome)).toBe(running);
  },
);

verifies(
  'service:careful',
  'what somebody wrote is kept, unless told otherwise, and then a copy is',
  async () => {
    const { root, unit, service } = user();
    const { path } = await fakeSystemd(root);
    expect((await service(path, 'install', '--no-start')).stdout).toContain('next login');
    const edited = `${readFileSync(unit, 'utf8')}# Mine\n`;
    writeFileSync(unit, edited);
    for (const verb of ['install', 'remove']) {
      const refused = await service(path, verb, '--json');
      expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
        7,
        { error: { class: 'conflict', message: `${unit} was changed since EX-AI wrote it.` } },
      ]);
    }
    expect(readFileSync(unit, 'utf8')).toBe(edited);
    expect(await service(path, 'install', '--no-start', '--force')).toMatchObject({
      code: 0,
      stdout: `Replaced what was in ${unit}.\nA copy of that is ${unit}.bak.\nIt starts at the next login.\n`,
    });
    expect(readFileSync(`${unit}.bak`, 'utf8')).toBe(edited);

    writeFileSync(unit, '[Service]\nExecStart=/bin/true\n');
    const foreign = await service(path, 'remove', '--force');
    expect([foreign.code, foreign.stderr]).toEqual([
      7,
      `exai: ${unit} was not written by EX-AI.\n  fix: If it may go: rm ${unit}\n`,
    ]);
    expect(readFileSync(unit, 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
  },
);

verifies(
  'service:careful',
  'without systemd the unit is written and what is left to do is told',
  async () => {
    const { root, unit, env, exai, service } = user();
    const empty = join(root, 'no programs');
    mkdirSync(empty);
    const told = await service(empty, 'install');
    expect([told.code, told.stderr]).toEqual([
      22,
      expect.stringMatching(
        /exai: There is no systemctl on PATH\.\nWhat is left to do:\n {2}systemctl --user daemon-reload\n {2}systemctl --user enable --now exai\.service\n$/,
      ),
    ]);
    expect(readFileSync(unit, 'utf8')).toContain('WantedBy=default.target');

    const noBus = await fakePrograms(['systemctl'], () => ({
      code: 1,
      stderr: 'Failed to connect to bus: No medium found\n',
    }));
    const again = await service(noBus.path, 'install', '--no-start', '--json');
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      26,
      {
        change: 'none',
        enabled: false,
        error: {
          class: 'tool_error',
          message: expect.stringContaining('No medium found') as string,
        },
        commands: ['systemctl --user daemon-reload', 'systemctl --user enable exai.service'],
      },
    ]);
    expect(await service(noBus.path, 'status', '--json')).toMatchObject({ code: 6 });
    // A daemon is not stopped for a service that cannot be started.
    await exai(['tools'], { env });
    await service(noBus.path, 'install');
    expect((await exai(['status'], { env })).code).toBe(0);
    const removed = await service(noBus.path, 'remove');
    expect([removed.code, readdirSync(join(unit, '..'))]).toEqual([26, []]);
  },
);

test('a daemon that cannot come up is told, with the way to its words', async () => {
  const { root, exaiHome, service } = user();
  const { path, exited, journal } = await fakeSystemd(root);
  expect((await service(path, 'install', '--no-start')).code).toBe(0);
  rmSync(join(exaiHome, 'config.json'));
  mkdirSync(join(exaiHome, 'data'));
  writeFileSync(join(exaiHome, 'data', 'exai.db'), 'no database');
  const { code, stderr } = await service(path, 'install');
  expect([code, stderr]).toEqual([
    26,
    expect.stringMatching(
      /did not come up \(failed.*\)\.\nWhat is left to do:\n {2}journalctl --user -u exai\.service -n 20\n$/,
    ),
  ]);
  expect(await exited()).not.toBe(0);
  expect(journal.join('')).toContain('exai: ');
});
