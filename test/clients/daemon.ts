import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const BIN = resolve('bin/exai.cjs');

const START_TIMEOUT_MS = 90_000;

export interface Daemon {
  readonly url: string;
  /** What `exai token show` prints. */
  readonly ownerToken: string;
  /** Makes a client that may read everything; gives its token. */
  addClient(name: string): Promise<string>;
  stop(): Promise<void>;
}

interface Output {
  readonly code: number | null;
  readonly stdout: string;
}

function exai(home: string, env: Readonly<Record<string, string>>, args: readonly string[]) {
  return spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function run(home: string, args: readonly string[]): Promise<Output> {
  const child = exai(home, {}, args);
  let stdout = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (code) => done({ code, stdout }));
  });
}

export async function startDaemon(
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<Daemon> {
  const child = exai(home, env, ['serve', '--port', '0']);
  const url = await new Promise<string>((listening, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error('exai serve is silent')), START_TIMEOUT_MS);
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      const line = /^listening on (http:\S+)\n/m.exec(said);
      if (line?.[1] === undefined) return;
      clearTimeout(late);
      listening(line[1]);
    });
    child.once('close', (code) => {
      clearTimeout(late);
      reject(new Error(`exai serve ended with ${code}`));
    });
  });
  const { stdout: token } = await run(home, ['token', 'show']);
  return {
    url,
    ownerToken: token.trim(),
    async addClient(name) {
      const { stdout } = await run(home, ['access', 'add', name, '--scope', 'read:*', '--json']);
      return (JSON.parse(stdout) as { token: string }).token;
    },
    stop: () => stopDaemon(home),
  };
}

export async function isServing(home: string): Promise<boolean> {
  const { code } = await run(home, ['status', '--json']);
  return code === 0;
}

/** Whether there is one or not. */
export async function stopDaemon(home: string): Promise<void> {
  await run(home, ['stop']);
}
