/** SDKs of others, run as they are published, against the gateway. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SDKS, type Told } from './sdk-run.ts';
import type { GatewayWorld } from './gateway-world.ts';

export interface GatewayClient {
  readonly name: string;
  readonly driver: 'openai' | 'ai' | 'anthropic' | 'langchain';
  readonly packages: Readonly<Record<string, string>>;
  readonly node: 'this' | 'newest';
  /** Below the daemon's address. */
  readonly path: '/v1' | '';
}

const NEWEST_NODE = fileURLToPath(
  new URL(
    `../tools/node_modules/node-${process.platform}-${process.arch}/bin/node`,
    import.meta.url,
  ),
);
const RUN_MS = 55_000;

/** Of a hook that runs a whole client. */
export const CLIENT_MS = 60_000;

/** What came of each step. */
export async function runClient(
  { driver, packages, node, path }: GatewayClient,
  { url, emulator }: GatewayWorld,
  steps: readonly string[],
): Promise<Readonly<Record<string, Told>>> {
  const server = {
    name: 'gateway',
    baseURL: url + path,
    emulator: emulator.url,
    // SDKs insist on a key; this one counts as none.
    key: 'local',
    steps,
  };
  const home = mkdtempSync(join(tmpdir(), 'exai-sdk-'));
  try {
    const child = spawn(
      node === 'this' ? process.execPath : NEWEST_NODE,
      [join(SDKS, `gateway-${driver}.mjs`), JSON.stringify({ ...packages, servers: [server] })],
      {
        cwd: home,
        env: { HOME: home, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: RUN_MS,
        killSignal: 'SIGKILL',
      },
    );
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`the driver ended with ${code}: ${stderr.slice(-2000)}`);
    const line = stdout.trim().split('\n').at(-1) ?? '';
    const told = JSON.parse(line) as Readonly<Record<string, Readonly<Record<string, Told>>>>;
    return told['gateway'] ?? {};
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What a step gave; what it threw instead is the failure of the test. */
export function valueOf(told: Readonly<Record<string, Told>>, step: string): never {
  const what = told[step];
  if (what === undefined) throw new Error(`nothing was told of ${step}`);
  if (what.threw) {
    const { name, status, message } = what.threw;
    throw new Error(`${step}: ${name} ${status ?? ''}: ${message}`);
  }
  return what.value as never;
}
