import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get } from '../../http-get.ts';
import { BIN, finished } from '../exai.ts';

/** A daemon with the fixtures, in a home of its own, that many tests share. */
export interface SharedDaemon {
  readonly url: string;
  readonly home: string;
  /** Makes a client with these scopes; gives its token. */
  addClient(name: string, scopes: readonly string[]): Promise<string>;
  /** How many calls of a tool have ended so. */
  ended(tool: string, outcome: string): Promise<number>;
  /** Asks it to stop; resolves when it has. */
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startShared({ config, env }: DaemonOptions = {}): Promise<SharedDaemon> {
  const home = mkdtempSync(join(tmpdir(), 'exai-matrix-'));
  if (config) writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const run = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [BIN, ...args], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const child = run(['serve', '--conformance', '--port', '0']);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const url = await listening(child);
  return {
    url,
    home,
    async addClient(name, scopes) {
      const named = scopes.flatMap((scope) => ['--scope', scope]);
      const { stdout, stderr } = await finished(run(['access', 'add', name, ...named, '--json']));
      if (stdout === '') throw new Error(stderr);
      return (JSON.parse(stdout) as { token: string }).token;
    },
    async ended(tool, outcome) {
      const { body } = await get(`${url}/metrics`);
      const lines = body.split('\n').filter((line) => line.startsWith('exai_calls_total{'));
      const is = (line: string) =>
        line.includes(`tool="${tool}"`) && line.includes(`outcome="${outcome}"`);
      return Number(lines.find(is)?.split(' ').at(-1) ?? 0);
    },
    async stop() {
      child.kill('SIGTERM');
      await closed;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Where it listens, as soon as it says so. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
      const line = /^listening on (http:\S+)\n/m.exec(said);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
    child.stderr?.resume();
    child.once('close', (code) => reject(new Error(`exai serve ended with ${code}: ${said}`)));
  });
}
