import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Setup } from './client.ts';

const PROGRAMS = ['.bin', '@anthropic-ai/claude-code-linux-x64', 'opencode-linux-x64/bin'].map(
  (folder) => resolve('test/tools/all-clients/node_modules', folder),
);

const TIMEOUT_MS = 90_000;
const GRACE_MS = 5_000;
const MAX_OUTPUT_CHARS = 8_000_000;

export interface Output {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A home of its own for one client on one way: nothing of the user's is read, nothing outside is
 * reached.
 */
export interface Sandbox {
  readonly home: string;
  /** What the programs said, for the message when something fails. */
  transcript(): string;
  /** Does what a user does to connect the client. */
  setUp(setup: Setup, options?: RunOptions): Promise<Output>;
  write(path: string, content: string | Buffer): void;
  /**
   * Runs a program to its end, with no input; fails when it does not end in time, or ends badly.
   */
  run(argv: readonly string[], options?: RunOptions): Promise<Output>;
  /** The same, however it ends. */
  tryRun(argv: readonly string[], options?: RunOptions): Promise<Output>;
  /** Starts a program that is talked to, and that `close` ends. */
  start(argv: readonly string[], options?: RunOptions): ChildProcess;
  /** The same with the environment that is given and nothing else. */
  startBare(argv: readonly string[], options: Required<RunOptions>): ChildProcess;
  close(): Promise<void>;
}

export function createSandbox(home: string, base: Readonly<Record<string, string>>): Sandbox {
  const work = join(home, 'work');
  mkdirSync(work, { recursive: true });
  const running = new Set<ChildProcess>();
  let said = '';

  const write = (path: string, content: string | Buffer) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const startBare = (argv: readonly string[], { env }: Required<RunOptions>) => {
    const [program = '', ...args] = argv;
    said += `$ ${argv.join(' ')}\n`;
    // A group of its own, so that what the client itself starts ends with it.
    const child = spawn(program, args, { cwd: work, env: { ...env }, detached: true });
    running.add(child);
    child.once('close', () => running.delete(child));
    const note = (chunk: unknown) => (said = (said + String(chunk)).slice(-MAX_OUTPUT_CHARS));
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    // A client that ended no longer reads; what it said before that tells why.
    child.stdin.on('error', note);
    return child;
  };
  const start = (argv: readonly string[], { env }: RunOptions = {}) =>
    startBare(argv, { env: { ...environment(home), ...base, ...env } });
  const tryRun = (argv: readonly string[], options: RunOptions = {}) => {
    const child = start(argv, options);
    child.stdin?.end();
    return finished(child, argv);
  };
  const run = async (argv: readonly string[], options: RunOptions = {}) => {
    const output = await tryRun(argv, options);
    if (output.code === 0) return output;
    throw new Error(`${argv.join(' ')} ended with ${output.code}`);
  };
  return {
    home,
    transcript: () => said,
    write,
    run,
    tryRun,
    start,
    startBare,
    async setUp(setup, options) {
      if (setup.kind === 'command') return run(setup.argv, options);
      write(setup.path.replace(/^~\//, ''), setup.text);
      return { code: 0, stdout: '', stderr: '' };
    },
    async close() {
      await Promise.all([...running].map(endGroup));
    },
  };
}

function finished(child: ChildProcess, argv: readonly string[]): Promise<Output> {
  let stdout = '';
  let stderr = '';
  const add = (all: string, chunk: unknown) => (all + String(chunk)).slice(0, MAX_OUTPUT_CHARS);
  child.stdout?.on('data', (chunk) => (stdout = add(stdout, chunk)));
  child.stderr?.on('data', (chunk) => (stderr = add(stderr, chunk)));
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error(`${argv.join(' ')} did not end within ${TIMEOUT_MS / 1_000} s`));
    }, TIMEOUT_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, stdout, stderr });
    });
  });
}

/** As a user ends it, so that it tidies up in its own way; then whatever is left of it. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const closed = once(child, 'close');
  child.stdin?.end();
  child.kill('SIGTERM');
  const late = setTimeout(() => killGroup(pid), GRACE_MS);
  await closed;
  clearTimeout(late);
  killGroup(pid);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/**
 * No login, no telemetry, no looking for updates: and whoever tries to leave finds a closed port as
 * the proxy.
 */
function environment(home: string): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9';
  const loopback = '127.0.0.1,localhost';
  return {
    PATH: [...PROGRAMS, process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    NO_COLOR: '1',
    CI: '1',
    DO_NOT_TRACK: '1',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    NO_PROXY: loopback,
    no_proxy: loopback,
  };
}
