import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { treeCpuMs } from './tree-usage.ts';

/** A program that calls are sent to, with everything that it started. */
export interface Target {
  readonly pid: number;
  readonly port: number;
  cpuMs(): number;
  /** Resolves when the servers behind it have been listed. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const ECHO = resolve('bench/hub/echo-server.mjs');
const PACKAGES = resolve('test/tools/upstreams/node_modules');
const SETTLE_MS = 10_000;
/** Ten times a second. */
const START_TRIES = 1200;
/** Of the owner. */
export const TOKEN = 'bench-token-0123456789';

/** The echo server over HTTP. */
export async function startEcho(): Promise<Target> {
  const port = await freePort();
  return start([ECHO], port, { PORT: String(port) });
}

/** A daemon with these servers behind it. */
export async function startExai(
  folder: string,
  name: string,
  mcpServers: Readonly<Record<string, object>>,
): Promise<Target> {
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.json'), JSON.stringify({ mcpServers }), { mode: 0o600 });
  const port = await freePort();
  const args = [resolve('bin/exai.cjs'), 'serve', '--port', String(port)];
  const env = { HOME: home, EXAI_HOME: home, EXAI_TOKEN: TOKEN };
  const target = await start(args, port, env);
  // So that what is measured is calls and not starts.
  if (Object.keys(mcpServers).length > 0) await target.settled();
  return target;
}

/** mcp-hub with this server behind it. It speaks HTTP+SSE only. */
export async function startMcpHub(folder: string): Promise<Target> {
  const port = await freePort();
  const config = join(folder, 'mcp-hub.json');
  const echo = { command: process.execPath, args: [ECHO] };
  writeFileSync(config, JSON.stringify({ mcpServers: { echo } }));
  const args = [`${PACKAGES}/mcp-hub/dist/cli.js`, '--port', String(port), '--config', config];
  const target = await start(args, port, { PATH: process.env['PATH'] ?? '', HOME: folder });
  await target.settled();
  return target;
}

/** `floor`, or a program of somebody else in front of the echo server. */
export async function startPeer(name: string): Promise<Target> {
  if (name === 'floor') return startFloor();
  const port = await freePort();
  const at = ['--port', String(port)];
  const command = `${process.execPath} ${ECHO}`;
  const args: Readonly<Record<string, readonly string[]>> = {
    'mcp-proxy': [
      `${PACKAGES}/mcp-proxy/dist/bin/mcp-proxy.mjs`,
      ...at,
      '--server',
      'stream',
      '--',
      process.execPath,
      ECHO,
    ],
    supergateway: [
      `${PACKAGES}/supergateway/dist/index.js`,
      '--stdio',
      command,
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      ...at,
    ],
  };
  return start(args[name] ?? [], port, { PATH: process.env['PATH'] ?? '' });
}

async function startFloor(): Promise<Target> {
  const child = spawn(process.execPath, [resolve('bench/hub/floor.mjs'), ECHO], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(/:(\d+)\s*$/.exec(said.toString())?.[1]);
  return targetOf(child, port);
}

async function start(
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<Target> {
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  for (let tries = 0; tries < START_TRIES; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer) return targetOf(child, port);
    if (child.exitCode !== null) break;
    await pause(100);
  }
  child.kill();
  throw new Error(`${args.join(' ')} does not listen (exit code ${child.exitCode ?? 'none'})`);
}

function targetOf(child: ReturnType<typeof spawn>, port: number): Target {
  const { pid = 0 } = child;
  return {
    pid,
    port,
    cpuMs: () => treeCpuMs(pid),
    settled: () => pause(SETTLE_MS),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
