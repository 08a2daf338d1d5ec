import { mkdirSync } from 'node:fs';
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

export interface Doors {
  readonly open: Daemon;
  /** One that asks for a token, and the token of a client of its. */
  readonly guarded: Daemon & { readonly token: string };
}

/** The daemons of the HTTP columns; every cell of the shim's has its own, which the shim starts. */
export async function openDoors(root: string): Promise<Doors> {
  const open = await startDaemon(join(root, 'open'), {});
  const owner = { EXAI_TOKEN: 'the-owner-of-this-matrix-alone' };
  const guarded = await startDaemon(join(root, 'guarded'), owner);
  const { status } = await fetch(`${guarded.url}/mcp`, { method: 'POST', body: '{}' });
  if (status !== 401) throw new Error(`without its token the guarded daemon answers ${status}`);
  return { open, guarded: { ...guarded, token: await guarded.addClient('matrix') } };
}

export async function proveClient(
  client: Client,
  root: string,
  doors: Doors,
  tell: (way: Way, cell: Cell) => void,
): Promise<Row> {
  const cells = new Map<Way, Cell>();
  const place = join(root, titleOf(client).replaceAll(/\W+/g, '-').toLowerCase());
  for (const way of client.ways) {
    const cell = await proveCell(client, way, join(place, way), doors);
    cells.set(way, cell);
    tell(way, cell);
  }
  return { client, version: await versionOf(client, place), cells };
}

async function proveCell(client: Client, way: Way, home: string, doors: Doors): Promise<Cell> {
  mkdirSync(home, { recursive: true });
  const own = join(home, 'exai');
  const env = { EXAI_HOME: own, EXAI_PORT: '0' };
  const sandbox = createSandbox(home, way === 'shim' ? env : {});
  try {
    const { listed, called } = await client.prove(targetOf(way, doors, env), sandbox);
    await sandbox.close();
    if (way === 'shim') await checkOwnDaemon(own, home);
    return { is: 'proven', listed: listed.length, called };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { is: 'failed', why, transcript: sandbox.transcript() };
  } finally {
    await sandbox.close();
    // One that a client started without our settings would be the user's.
    for (const daemonHome of [own, join(home, '.exai')]) await stopDaemon(daemonHome);
  }
}

/** The daemon belongs to all clients: the one whose shim started it must not take it along when it goes. */
async function checkOwnDaemon(own: string, home: string): Promise<void> {
  if (await isServing(join(home, '.exai')))
    throw new Error('the client did not hand EXAI_HOME to the shim');
  if (!(await isServing(own))) throw new Error('the client ended the daemon with its shim');
}

function targetOf(way: Way, { open, guarded }: Doors, env: Record<string, string>): Target {
  switch (way) {
    case 'http':
      return { kind: 'remote', transport: 'http', url: `${open.url}/mcp` };
    case 'sse':
      return { kind: 'remote', transport: 'sse', url: `${open.url}/sse` };
    case 'token':
      return { kind: 'remote', transport: 'http', url: `${guarded.url}/mcp`, token: guarded.token };
    case 'shim':
      return { kind: 'local', command: process.execPath, args: [BIN, 'stdio'], env };
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
