import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { retried } from '../eventually.ts';

const PACKAGES = fileURLToPath(new URL('../tools/upstreams/node_modules/', import.meta.url));
export const EVERYTHING = `${PACKAGES}@modelcontextprotocol/server-everything/dist/index.js`;

/** A program of another project, as an entry of `mcpServers`. */
export function everythingOverStdio() {
  return { command: process.execPath, args: [EVERYTHING] };
}

export function filesystemServer(folder: string) {
  const script = `${PACKAGES}@modelcontextprotocol/server-filesystem/dist/index.js`;
  return { command: process.execPath, args: [script, folder] };
}

export function memoryServer(file: string) {
  const script = `${PACKAGES}@modelcontextprotocol/server-memory/dist/index.js`;
  return { command: process.execPath, args: [script], env: { MEMORY_FILE_PATH: file } };
}

/** The reference server over a transport of HTTP, which ends with the test. */
export async function everythingOver(transport: 'streamableHttp' | 'sse', port?: number) {
  const chosen = port ?? (await freePort());
  const stop = await startServer([EVERYTHING, transport], { PORT: String(chosen) }, chosen);
  const path = transport === 'sse' ? '/sse' : '/mcp';
  return { url: `http://127.0.0.1:${chosen}${path}`, port: chosen, stop };
}

/** The reference server over a WebSocket, by supergateway. */
export async function everythingOverWs() {
  return { url: await bySupergateway(EVERYTHING, 'ws') };
}

/** A program that speaks MCP over stdio, over another transport by supergateway. */
export async function bySupergateway(
  script: string,
  transport: 'ws' | 'sse' | 'streamableHttp',
  ...more: readonly string[]
): Promise<string> {
  const port = await freePort();
  const gateway = `${PACKAGES}supergateway/dist/index.js`;
  const about = ['--outputTransport', transport, '--port', String(port), ...more];
  await startServer([gateway, '--stdio', `${process.execPath} ${script}`, ...about], {}, port);
  const paths = { ws: 'message', sse: 'sse', streamableHttp: 'mcp' };
  return `${transport === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port}/${paths[transport]}`;
}

/** The same by mcp-proxy, which serves both eras at `/mcp` and the older transport at `/sse`. */
export async function byMcpProxy(script: string): Promise<string> {
  const port = await freePort();
  const proxy = `${PACKAGES}mcp-proxy/dist/bin/mcp-proxy.mjs`;
  const at = ['--port', String(port), '--host', '127.0.0.1'];
  await startServer([proxy, ...at, '--', process.execPath, script], {}, port);
  return `http://127.0.0.1:${port}`;
}

/** A server made with fastmcp. */
export const FASTMCP = fileURLToPath(
  new URL('../tools/upstreams/fastmcp-server.mjs', import.meta.url),
);

async function startServer(args: readonly string[], env: Record<string, string>, port: number) {
  const path = process.env['PATH'] ?? '';
  const child = spawn(process.execPath, args, { env: { PATH: path, ...env }, stdio: 'ignore' });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  await retried(() => fetch(`http://127.0.0.1:${port}/`));
  return stop;
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
