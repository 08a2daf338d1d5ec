/** Programs of others, run as they are published, against the emulator. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SdkServer, Step } from './sdk-servers.ts';

export interface SdkClient {
  readonly name: string;
  readonly driver: 'openai' | 'ai';
  /** What the driver is told besides the servers: the packages to use. */
  readonly packages: Readonly<Record<string, string>>;
  readonly node: 'this' | 'newest';
  /** The steps that its driver does not have. */
  readonly lacks: readonly Step[];
  readonly vendors?: readonly string[];
}

const AI_LACKS: readonly Step[] = [
  'models',
  'streamHelper',
  'parallelTools',
  'toolThoughtsLost',
  'files',
  'jsonMode',
];

export const SDK_CLIENTS: readonly SdkClient[] = [
  {
    name: 'openai 6',
    driver: 'openai',
    packages: { sdk: 'openai' },
    node: 'this',
    lacks: [],
  },
  {
    name: 'openai 7',
    driver: 'openai',
    packages: { sdk: 'openai7' },
    node: 'newest',
    lacks: [],
  },
  {
    name: 'ai 6, openai-compatible 2',
    driver: 'ai',
    packages: { sdk: 'ai', provider: '@ai-sdk/openai-compatible' },
    node: 'this',
    lacks: AI_LACKS,
  },
  {
    name: 'ai 7, openai-compatible 3',
    driver: 'ai',
    packages: { sdk: 'ai7', provider: 'openai-compatible3' },
    node: 'newest',
    lacks: AI_LACKS,
  },
  {
    name: 'ai 6, moonshotai 2',
    driver: 'ai',
    packages: { sdk: 'ai', provider: '@ai-sdk/moonshotai' },
    node: 'this',
    lacks: AI_LACKS,
    vendors: ['kimi'],
  },
  {
    name: 'ai 7, moonshotai 3',
    driver: 'ai',
    packages: { sdk: 'ai7', provider: 'moonshotai3' },
    node: 'newest',
    lacks: AI_LACKS,
    vendors: ['kimi'],
  },
];

/** What came of a step: the value, or what was thrown. */
export interface StepOutcome {
  readonly value?: unknown;
  readonly threw?: {
    readonly name: string;
    readonly status: number | null;
    readonly message: string;
  };
  readonly ms: number;
}

export type OutcomesByServer = Readonly<Record<string, Readonly<Record<string, StepOutcome>>>>;

export const SDKS = fileURLToPath(new URL('../tools/sdks/', import.meta.url));
/** The driver of the clients that have packages of their own beside the others, without `.mjs`. */
export const VENDOR_CLIENTS = fileURLToPath(
  new URL('../tools/vendor-clients/clients', import.meta.url),
);
export const NEWEST_NODE = fileURLToPath(
  new URL(
    `../tools/node_modules/node-${process.platform}-${process.arch}/bin/node`,
    import.meta.url,
  ),
);
/** `npm test` installs it for the conformance suite. */
export const NODE_22 = fileURLToPath(
  new URL(
    `../tools/conformance/node_modules/node22-${process.platform}-${process.arch}/bin/node`,
    import.meta.url,
  ),
);
const PROGRAMS = { this: process.execPath, newest: NEWEST_NODE, 'Node 22': NODE_22 } as const;
const RUN_MS = 150_000;

/** Why it cannot be run on this machine, if it cannot. */
export function whyNotRunnable(node: SdkClient['node'] = 'this'): string | undefined {
  if (!existsSync(join(SDKS, 'node_modules')))
    return 'the SDKs are not installed; install them with: npm ci --prefix test/tools/sdks';
  if (node === 'newest' && !existsSync(NEWEST_NODE))
    return `there is no Node 24 at ${NEWEST_NODE}; install it with: npm ci --prefix test/tools`;
  return undefined;
}

export const serversFor = (
  { lacks, vendors }: SdkClient,
  all: readonly SdkServer[],
): readonly SdkServer[] =>
  all
    .filter(({ vendor }) => vendors?.includes(vendor) ?? true)
    .map((server) => ({ ...server, steps: server.steps.filter((step) => !lacks.includes(step)) }));

/** Drives a client through the steps of the servers. */
export async function runSdk(
  { driver, packages, node }: SdkClient,
  emulator: string,
  servers: readonly SdkServer[],
): Promise<OutcomesByServer> {
  const wanted = servers.map(({ path, ...server }) => ({
    ...server,
    name: server.vendor,
    baseURL: emulator + path,
    emulator,
  }));
  return (await runDriver(node, driver, { ...packages, servers: wanted })) as OutcomesByServer;
}

/** What a driver tells at its end. Its environment holds nothing of whoever runs the tests. */
export async function runDriver(
  node: keyof typeof PROGRAMS,
  driver: string,
  told: object,
): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'exai-sdk-'));
  try {
    const child = spawn(PROGRAMS[node], [`${resolve(SDKS, driver)}.mjs`, JSON.stringify(told)], {
      cwd: home,
      env: { HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((done, reject) => {
      child.once('error', reject);
      child.once('close', done);
    });
    const line = stdout.trim().split('\n').at(-1) ?? '';
    if (code !== 0) throw new Error(`the driver ended with ${code}: ${stderr.slice(-2000)}`);
    return JSON.parse(line);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
