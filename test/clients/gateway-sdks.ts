import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startEmulator } from '../../emulator/start.ts';
import { startDaemon } from './daemon.ts';

/** By client and cell `ok`, or what went wrong. */
export type GatewayTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const GATEWAY_SDKS = 'test/tools/gateway-clients';
/** Some of the libraries want a newer Node than we do. */
export const NODE_22_FOLDER = 'test/tools/conformance';
const NODE_22 = `${NODE_22_FOLDER}/node_modules/node22-${process.platform}-${process.arch}/bin/node`;
const DAEMON = 'gateway-sdks';

/** Runs every SDK whose name is wanted against a daemon whose vendors are the emulator. */
export async function proveSdks(root: string, wanted: string): Promise<GatewayTable> {
  const emulator = await startEmulator();
  try {
    const daemon = await startDaemon(join(root, DAEMON), {
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      KIMI_API_KEY: 'sk-emulated-kimi-0001',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      GLM_API_KEY: 'emulated.secret0002',
    });
    // They also delete what they stored, which a client that may only read cannot.
    return await drive([daemon.url, daemon.ownerToken, wanted]);
  } finally {
    await emulator.close();
  }
}

function drive(args: readonly string[]): Promise<GatewayTable> {
  const child = spawn(NODE_22, [join(GATEWAY_SDKS, 'drive.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(said.trim().split('\n').at(-1) ?? '') as GatewayTable);
      else reject(new Error(`the SDKs ended with ${code}: ${said.slice(-2000)}`));
    });
  });
}

const CELLS = [
  'plain',
  'stream',
  'tools',
  'parallel tools',
  'handoff',
  'JSON schema',
  'image',
  'PDF',
  'abort',
  'errors',
];

/** The table of docs/clients.md. */
export function gatewayTable(clients: GatewayTable): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(clients).map(([name, cells]) =>
    row([name, ...CELLS.map((cell) => mark(cells[cell]))]),
  );
  return [row(['client', ...CELLS]), row(['client', ...CELLS].map(() => '---')), ...rows].join(
    '\n',
  );
}

function mark(cell: string | undefined): string {
  if (cell === undefined) return '–';
  return cell === 'ok' ? '✓' : '✗';
}
