import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const BIN = fileURLToPath(new URL('../../bin/exai.cjs', import.meta.url));

export interface Result {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; nothing unless told. */
  readonly input?: string;
}

export interface RunningDaemon {
  readonly url: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Result>;
}

/**
 * Calls back when the test is over: the one of a test's context, where tests run beside each other.
 */
export type AtEnd = typeof onTestFinished;

/** With which test each home ends. */
const ends = new Map<string, AtEnd>();

/**
 * A home of its own for one test, gone when the test is over, and the real program to use it with.
 */
export function createHome(atEnd: AtEnd = onTestFinished) {
  const root = mkdtempSync(join(tmpdir(), 'exai-e2e-'));
  ends.set(root, atEnd);
  atEnd(() => {
    ends.delete(root);
    rmSync(root, { recursive: true, force: true });
  });

  const exai = (args: readonly string[], options: RunOptions = {}): Promise<Result> => {
    const child = start(root, args, options);
    // A program may end before it has read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    return finished(child);
  };
  const serve = async (args: readonly string[] = [], options: RunOptions = {}) => {
    const child = start(root, ['serve', '--port', '0', ...args], options);
    return ready(child);
  };
  return { root, path: (...names: string[]) => join(root, ...names), exai, serve };
}

/** The same without settings of the tests' own, for what tells of settings: a token is required. */
export function createPlainHome(): ReturnType<typeof createHome> {
  const home = createHome();
  const plain = (options: RunOptions = {}): RunOptions => ({
    ...options,
    env: { EXAI_AUTH_REQUIRE_TOKEN: '', ...options.env },
  });
  return {
    ...home,
    exai: (args, options) => home.exai(args, plain(options)),
    serve: (args, options) => home.serve(args, plain(options)),
  };
}

/** Starts `exai` in an environment that holds nothing of whoever runs the tests. */
export function start(
  root: string,
  args: readonly string[],
  options: RunOptions = {},
): ChildProcess {
  return startScript(root, BIN, args, options);
}

/** Runs another program of Node's in that environment. */
export function runScript(
  root: string,
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Result> {
  const child = startScript(root, script, args, options);
  child.stdin?.end(options.input ?? '');
  return finished(child);
}

function startScript(
  root: string,
  script: string,
  args: readonly string[],
  options: RunOptions,
): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      EXAI_HOME: root,
      // Only tests about tokens deal with them.
      EXAI_AUTH_REQUIRE_TOKEN: 'false',
      ...options.env,
    },
  });
  const atEnd = ends.get(root) ?? onTestFinished;
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return child;
}

export function finished(child: ChildProcess): Promise<Result> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Resolves with the daemon once it has said where it listens. */
async function ready(child: ChildProcess): Promise<RunningDaemon> {
  const ended = finished(child);
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      let said = '';
      child.stdout?.on('data', (chunk) => {
        said += String(chunk);
        const line = /^listening on (http:\S+)\n/m.exec(said);
        if (line?.[1] !== undefined) resolve(line[1]);
      });
    }),
    ended.then((result) => {
      throw new Error(`exai serve ended: ${JSON.stringify(result)}`);
    }),
  ]);
  return { url, pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended };
}
