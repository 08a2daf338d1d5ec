import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server in a process of its own. */
export interface Subject {
  readonly port: number;
  readonly home: string;
  /** User and system time so far, of all its threads. The kernel counts them in ticks. */
  cpuMs(): number;
  residentMb(): number;
  stop(): Promise<void>;
}

const TICK_MS = 10;
const START_MS = 20_000;
const STOP_MS = 10_000;

/**
 * Starts a program that says `listening on http://127.0.0.1:N` when it is ready, in a home of its
 * own.
 */
export async function startSubject(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Subject> {
  const home = mkdtempSync(join(tmpdir(), 'exai-mcp-call-'));
  const child = spawn(process.execPath, args, {
    env: { HOME: home, EXAI_HOME: home, EXAI_AUTH_REQUIRE_TOKEN: 'false', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const stop = async () => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.kill();
    await gone;
    clearTimeout(timer);
    rmSync(home, { recursive: true, force: true });
  };
  const { pid = 0 } = child;
  try {
    const port = await portOf(child.stdout, gone, args);
    return { port, home, cpuMs: () => cpuMs(pid), residentMb: () => residentMb(pid), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function portOf(
  stdout: NodeJS.ReadableStream,
  gone: Promise<unknown>,
  args: readonly string[],
): Promise<number> {
  const name = args.join(' ');
  let said = '';
  const told = new Promise<number>((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const port = /listening on http:\/\/[^:\s]+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
  const ended = gone.then(() => Promise.reject(new Error(`${name} ended before it listened`)));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const words = `${name} said no port within ${START_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(words)), START_MS);
  });
  try {
    return await Promise.race([told, ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6;
}
