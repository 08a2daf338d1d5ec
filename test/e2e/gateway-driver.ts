/** SDKs of others, run as they are published, against the gateway. */
import { runDriver, type StepOutcome } from './sdk-run.ts';
import type { GatewayHarness } from './gateway-harness.ts';

export interface GatewayClient {
  readonly name: string;
  readonly driver: 'openai' | 'ai' | 'anthropic' | 'langchain';
  readonly packages: Readonly<Record<string, string>>;
  readonly node: 'this' | 'newest';
  /** Below the daemon's address. */
  readonly path: '/v1' | '';
}

/** Of a hook that runs a whole client. */
export const CLIENT_MS = 180_000;

/** What came of each step. */
export async function runClient(
  { driver, packages, node, path }: GatewayClient,
  { url, emulator }: GatewayHarness,
  steps: readonly string[],
  // SDKs insist on a key; this one counts as none.
  key = 'local',
): Promise<Readonly<Record<string, StepOutcome>>> {
  const server = {
    name: 'gateway',
    baseURL: url + path,
    emulator: emulator.url,
    key,
    steps,
  };
  const told = await runDriver(node, `gateway-${driver}`, { ...packages, servers: [server] });
  return (told as Readonly<Record<string, Readonly<Record<string, StepOutcome>>>>)['gateway'] ?? {};
}

/** What a step gave; what it threw instead is the failure of the test. */
export function valueOf(told: Readonly<Record<string, StepOutcome>>, step: string): never {
  const what = told[step];
  if (what === undefined) throw new Error(`nothing was told of ${step}`);
  if (what.threw) {
    const { name, status, message } = what.threw;
    throw new Error(`${step}: ${name} ${status ?? ''}: ${message}`);
  }
  return what.value as never;
}
