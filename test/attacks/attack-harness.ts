import { join } from 'node:path';
import {
  openGatewayHarness,
  type GatewayHarness,
  type GatewayHarnessOptions,
} from '../e2e/gateway-harness.ts';
import { get } from '../http-get.ts';

/** Of the owner; sent with whatever must not be refused for the want of a token alone. */
export const OWNER_TOKEN = 'Ow7Kd2Xm9Qv4Tz8Rb1Nc6Lp3Hs5-owner';

export interface AttackHarness extends GatewayHarness {
  /** `host:port`, as a client writes it in its Host header. */
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  /** Gives the token of a new client. */
  addClient(name: string, scopes: readonly string[]): Promise<string>;
  /** What the daemon has done and holds. */
  effects(): Promise<Effects>;
}

/** What an attack would change. */
export interface Effects {
  /** Calls of tools that have ended, however. */
  readonly calls: number;
  readonly httpSessions: number;
  readonly webSockets: number;
  /** Requests that reached a provider. */
  readonly asked: number;
}

export async function openAttackHarness(
  options: GatewayHarnessOptions = {},
): Promise<AttackHarness> {
  const harness = await openGatewayHarness({
    ...options,
    env: { EXAI_TOKEN: OWNER_TOKEN, ...options.env },
  });
  const { host, port } = new URL(harness.url);
  return {
    ...harness,
    host,
    port: Number(port),
    socketPath: join(harness.home, 'daemon.sock'),
    async addClient(name, scopes) {
      const named = scopes.flatMap((scope) => ['--scope', scope]);
      const { stdout, stderr } = await harness.exai('access', 'add', name, ...named, '--json');
      if (stdout === '') throw new Error(stderr);
      return (JSON.parse(stdout) as { token: string }).token;
    },
    async effects() {
      const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
      const { body } = await get(`${harness.url}/metrics`, headers);
      return {
        calls: sumOf(body, 'exai_calls_total'),
        httpSessions: sumOf(body, 'exai_http_sessions'),
        webSockets: sumOf(body, 'exai_ws_connections'),
        asked: harness.emulator.requests().length,
      };
    },
  };
}

/** Of a metric with all its labels, in the Prometheus text format. */
function sumOf(metrics: string, name: string): number {
  const rows = metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return [...rows].reduce((sum, [, value]) => sum + Number(value), 0);
}
