import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { createHome, type RunningDaemon } from '../../e2e/exai.ts';
import { startPostgres, type PostgresServer } from '../../postgres.ts';
import { queryOnce } from '../../query-once.ts';

const SKEWED_CLOCK = fileURLToPath(new URL('../../fixtures/skewed-clock.mjs', import.meta.url));

/** Vendors, a PostgreSQL server of its own, and daemons that share it. */
export interface World {
  readonly emulator: Emulator;
  readonly server: PostgresServer;
  /** Starts a daemon with a home of its own. With `clockFile` its wall clock is off by the seconds in that file. */
  serve(env?: Readonly<Record<string, string>>, clockFile?: string): Promise<RunningDaemon>;
  /** Asks the database itself. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export async function openWorld(options: { readonly chunkMs?: number } = {}): Promise<World> {
  const { chunkMs = 2 } = options;
  const emulator = await startEmulator({ pace: { chunkMs } });
  onTestFinished(() => emulator.close());
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return {
    emulator,
    server,
    serve: (env = {}, clockFile) =>
      createHome().serve([], {
        env: {
          EXAI_DATABASE_URL: server.url,
          ...vendorEnv(emulator),
          ...env,
          ...(clockFile !== undefined && skewedBy(clockFile)),
        },
      }),
    query: (sql) => queryOnce(server.url, sql),
  };
}

export function vendorEnv({ url }: Emulator): Record<string, string> {
  return {
    KIMI_API_URL: `${url}/kimi/v1`,
    KIMI_API_KEY: 'sk-emulated-kimi-0001',
    GLM_API_URL: `${url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
}

/** Settings of a process whose wall clock is off by the seconds in a file; the file may change. */
export function skewedBy(clockFile: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${SKEWED_CLOCK}`, TEST_CLOCK_FILE: clockFile };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
