import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from './claude-code.ts';
import { clines } from './cline.ts';
import { titleOf, type Client, type Target, type Way } from './client.ts';
import { codex } from './codex.ts';
import { BIN, isServing, startDaemon, stopDaemon, type Daemon } from './daemon.ts';
import { geminiCli } from './gemini-cli.ts';
import { inspectors } from './inspector.ts';
import { mcpRemote } from './mcp-remote.ts';
import { mcporter } from './mcporter.ts';
import { opencode } from './opencode.ts';
import { createSandbox } from './sandbox.ts';
import { supergateways } from './supergateway.ts';

/** Every client that we say works, one line each. */
export const CLIENTS: readonly Client[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  mcporter,
  ...inspectors,
  mcpRemote,
  ...supergateways,
  ...clines,
];

export type Cell =
  | { readonly is: 'proven'; readonly listed: number; readonly called: readonly string[] }
  | { readonly is: 'failed'; readonly why: string; readonly transcript: string };

export interface Row {
  readonly client: Client;
  readonly version: string;
  readonly cells: ReadonlyMap<Way, Cell>;
}

/** The daemon of the HTTP columns, and the token of a client of its. */
export type SharedDaemon = Daemon & { readonly clientToken: string };

/** Every cell of the shim's columns has a daemon of its own, which the shim starts. */
export async function startSharedDaemon(root: string): Promise<SharedDaemon> {
  const daemon = await startDaemon(join(root, 'shared'), {});
  const { status } = await fetch(`${daemon.url}/mcp`, { method: 'POST', body: '{}' });
  if (status !== 401) throw new Error(`without a token the daemon answers ${status}`);
  return { ...daemon, clientToken: await daemon.addClient('matrix') };
}

export async function proveClient(
  client: Client,
  root: string,
  daemon: SharedDaemon,
  tell: (way: Way, cell: Cell) => void,
): Promise<Row> {
  const cells = new Map<Way, Cell>();
  const place = placeOf(client, root);
  for (const way of client.ways) {
    const cell = await proveCell(client, way, join(place, way), daemon);
    cells.set(way, cell);
    tell(way, cell);
  }
  return { client, version: await versionOf(client, place), cells };
}

/** A folder for what is tried with a client. */
export function placeOf(client: Client, root: string): string {
  return join(root, titleOf(client).replaceAll(/\W+/g, '-').toLowerCase());
}

async function proveCell(
  client: Client,
  way: Way,
  home: string,
  daemon: SharedDaemon,
): Promise<Cell> {
  const usual = join(home, '.exai');
  mkdirSync(usual, { recursive: true });
  // The only setting: whatever starts a daemon here must not meet one that somebody else has on the
  // usual port.
  writeFileSync(join(usual, '.env'), 'EXAI_PORT=0\n');
  const own = way === 'shim' ? join(home, 'exai') : usual;
  const env = { EXAI_HOME: own, EXAI_PORT: '0' };
  const sandbox = createSandbox(home, way === 'shim' ? env : {});
  try {
    const { listed, called } = await client.prove(targetOf(way, daemon, env), sandbox);
    await sandbox.close();
    if (way === 'shim' && (await isServing(usual)))
      throw new Error('the client did not hand EXAI_HOME to the shim');
    if (way === 'shim' || way === 'init') await checkStillServing(own);
    return { is: 'proven', listed: listed.length, called };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { is: 'failed', why, transcript: sandbox.transcript() };
  } finally {
    await sandbox.close();
    // One that a client started without our settings would be the user's.
    for (const daemonHome of new Set([own, usual])) await stopDaemon(daemonHome);
  }
}

/**
 * The daemon belongs to all clients: the one whose shim started it must not take it along when it
 * goes.
 */
async function checkStillServing(own: string): Promise<void> {
  if (!(await isServing(own))) throw new Error('the client ended the daemon with its shim');
}

function targetOf(way: Way, daemon: SharedDaemon, env: Record<string, string>): Target {
  const { url, ownerToken, clientToken } = daemon;
  switch (way) {
    case 'http':
      return { kind: 'remote', transport: 'http', url: `${url}/mcp`, token: ownerToken };
    case 'sse':
      return { kind: 'remote', transport: 'sse', url: `${url}/sse`, token: clientToken };
    case 'shim':
      return { kind: 'local', command: process.execPath, args: [BIN, 'stdio'], env };
    case 'init':
      return { kind: 'written', init: [process.execPath, BIN, 'init', '--yes'] };
  }
}

/** What the program itself says it is. */
async function versionOf({ how }: Client, place: string): Promise<string> {
  if (how.is === 'replayed') return how.version;
  const sandbox = createSandbox(join(place, 'version'), {});
  try {
    const { stdout } = await sandbox.run([how.program, '--version']);
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stdout.trim();
  } catch {
    // A program that does not even start has failed in every cell, and says why there.
    return 'unknown';
  }
}
