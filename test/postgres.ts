import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findPostgres } from '../scripts/system-programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * A server of the tests' own; each suite makes its database in it. Empty where PostgreSQL is
     * not installed.
     */
    postgresUrl: string;
  }
}

/** Starts PostgreSQL on a private port with a throw-away cluster, once per run. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  const bin = findPostgres();
  if (!bin && process.env['CI']) throw new Error('PostgreSQL is missing; in CI no test is skipped');
  // Its cluster is thrown away when the machine stops, so nothing has to reach the disk.
  const server = bin ? await startPostgres(bin, 'in memory') : undefined;
  project.provide('postgresUrl', server?.url ?? '');
  return () => server?.stop() ?? Promise.resolve();
}

export interface PostgresServer {
  readonly url: string;
  /** Without a farewell, as a crash would. */
  kill(): Promise<void>;
  /** As the service manager does it: connections are ended by the server. */
  restart(): Promise<void>;
  /** Every process of it stands still, and connections stay open: a network that drops packets. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A streaming replica of it, which runs; each commit waits for it from then on. */
  startStandby(): Promise<PostgresServer & { promote(): void }>;
}

/** Whether what was committed is waited for until it is on the disk. */
type Kept = 'on disk' | 'in memory';

const WHERE_KEPT: Readonly<Record<Kept, readonly string[]>> = {
  'on disk': ['-c', 'max_connections=200'],
  'in memory': ['-c', 'max_connections=200', '-c', 'fsync=off', '-c', 'full_page_writes=off'],
};

export async function startPostgres(
  bin = findPostgres() ?? '',
  kept: Kept = 'on disk',
  /** Mounts a disk at the folder of the data; the log of the server is elsewhere. */
  mount?: (data: string) => void,
): Promise<PostgresServer> {
  const dir = makeFolder();
  const data = join(dir, 'data');
  if (mount) {
    mkdirSync(data);
    mount(data);
    giveToServer(data);
  }
  const log = mount ? ` -X ${join(dir, 'log')}` : '';
  runProgram(
    join(bin, 'initdb'),
    `-D ${data}${log} -U exai -A trust -E UTF8 --locale=C --no-sync`.split(' '),
  );
  return startIn(bin, dir, kept);
}

function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-pg-'));
  giveToServer(dir);
  return dir;
}

function giveToServer(dir: string): void {
  const as = owner();
  if (as) chownSync(dir, as.uid, as.gid);
  chmodSync(dir, 0o700);
}

function runProgram(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { ...owner(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Starts the server whose data is in that folder. */
async function startIn(bin: string, dir: string, kept: Kept = 'on disk'): Promise<PostgresServer> {
  const port = await freePort();
  const as = owner();
  const data = join(dir, 'data');
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(
      join(bin, 'postgres'),
      [...WHERE_KEPT[kept], ...`-D ${data} -p ${port} -h 127.0.0.1 -k ${dir}`.split(' ')],
      { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await ready(child);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    await new Promise((resolve) => {
      ending.once('exit', resolve);
      ending.kill(signal);
    });
  };
  await start();
  const url = `postgres://exai@127.0.0.1:${port}/postgres`;
  return {
    url,
    start,
    kill: () => end('SIGQUIT'),
    async restart() {
      await end('SIGINT');
      await start();
    },
    freeze: () => signalAll(child?.pid, 'SIGSTOP'),
    thaw: () => signalAll(child?.pid, 'SIGCONT'),
    async stop() {
      await end('SIGINT');
      rmSync(dir, { recursive: true, force: true });
    },
    async startStandby() {
      const copy = makeFolder();
      const into = join(copy, 'data');
      runProgram(join(bin, 'pg_basebackup'), [
        '-D',
        into,
        '-d',
        url,
        '-R',
        '-c',
        'fast',
        '-X',
        'stream',
      ]);
      const standby = await startIn(bin, copy);
      const SYNC = `alter system set synchronous_standby_names = '*'`;
      runProgram(join(bin, 'psql'), ['-d', url, '-c', SYNC, '-c', 'select pg_reload_conf()']);
      return {
        ...standby,
        promote: () => runProgram(join(bin, 'pg_ctl'), ['promote', '-w', '-D', into]),
      };
    },
  };
}

/** The server and its backends, which have process groups of their own. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)])
    signalIfAlive(each, signal);
}

/** A worker of the server may have ended since it was listed. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      // A standby is ready for read-only ones.
      if (/ready to accept (?:read-only )?connections/.test(heard)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${heard}`)));
  });
}

/** PostgreSQL refuses to run as root: then it runs as a user without rights. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
