import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  fakePrograms,
  type FakePrograms,
  type FakeProgramOutput,
} from './fake-programs.fixture.ts';
import { parseUnit } from './systemd-parse.fixture.ts';

export interface FakeSystemd extends FakePrograms {
  /** The pid of the service process, if it runs. */
  readonly pid: () => number | undefined;
  /** Resolves with the exit code of that process. */
  readonly exited: () => Promise<number | null>;
  /** The output of that process. */
  readonly journal: string[];
}

/**
 * A user service manager that parses the unit as systemd does, and really starts, watches and stops
 * its program.
 */
export async function fakeSystemd(userHome: string): Promise<FakeSystemd> {
  const folder = join(userHome, '.config', 'systemd', 'user');
  const file = join(folder, 'exai.service');
  const link = join(folder, 'default.target.wants', 'exai.service');
  const journal: string[] = [];
  let unit: string | undefined;
  let child: ChildProcess | undefined;
  let result: 'success' | 'exit-code' = 'success';

  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  function start(): void {
    if (isAlive() || unit === undefined) return;
    const { command, environment } = parseUnit(unit);
    const [program = '', ...args] = command;
    child = spawn(program, args, {
      cwd: userHome,
      env: { HOME: userHome, PATH: '/usr/bin:/bin', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    result = 'success';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => journal.push(String(chunk)));
    }
    child.once('exit', (code) => (result = code === 0 ? 'success' : 'exit-code'));
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!child || !isAlive()) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  function show(): FakeProgramOutput {
    const active = isAlive() ? 'active' : result === 'success' ? 'inactive' : 'failed';
    const lines = [
      `LoadState=${unit === undefined ? 'not-found' : 'loaded'}`,
      `UnitFileState=${exists(link) ? 'enabled' : 'disabled'}`,
      `ActiveState=${active}`,
      `SubState=${active === 'active' ? 'running' : 'dead'}`,
      `MainPID=${isAlive() ? child?.pid : 0}`,
      `Result=${result}`,
    ];
    return { stdout: `${lines.join('\n')}\n` };
  }

  const programs = await fakePrograms(['systemctl'], async (_, [user, verb = '', ...rest]) => {
    if (user !== '--user') return { code: 1, stderr: 'Access denied\n' };
    if (verb === 'daemon-reload') unit = exists(file) ? readFileSync(file, 'utf8') : undefined;
    if (verb === 'show') return show();
    if (verb === 'reset-failed') result = 'success';
    if (verb === 'enable') {
      if (!exists(file)) return { code: 1, stderr: 'Unit file exai.service does not exist.\n' };
      mkdirSync(dirname(link), { recursive: true });
      rmSync(link, { force: true });
      symlinkSync(file, link);
      if (rest.includes('--now')) start();
    }
    if (verb === 'disable') {
      rmSync(link, { force: true });
      if (rest.includes('--now')) await stop('SIGTERM');
    }
    return {};
  });
  onTestFinished(() => stop('SIGKILL'));
  return {
    ...programs,
    journal,
    pid: () => (isAlive() ? child?.pid : undefined),
    async exited() {
      if (child && isAlive()) await once(child, 'exit');
      return child?.exitCode ?? null;
    },
  };
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
