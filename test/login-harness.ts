import { onTestFinished } from 'vitest';
import { createOAuthServer } from '../emulator/oauth/oauth.ts';
import { startEmulator, type Emulator } from '../emulator/start.ts';
import { systemClock } from '#app/system.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { LOGIN_CALLBACK_PATH } from '#core/hub/upstream-login.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { createConnect } from '#hub/connection/connect.ts';
import { createLogins, type Logins } from '#hub/login/create-logins.ts';
import type { FinishedLogin } from '#hub/login/pending-logins.ts';
import type { LoginFiles, StoredLogin } from '#hub/login/stored-login.ts';

export const SERVER = 'notes';
export const REDIRECT = `http://127.0.0.1:8765${LOGIN_CALLBACK_PATH}`;
export const OWNER = 'local';

const NETWORK = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
const MAX_BYTES = 1_048_576;

export interface LoginHarness {
  readonly emulator: Emulator;
  readonly logins: Logins;
  readonly files: Map<string, StoredLogin>;
  readonly hidden: string[];
  readonly logged: string[];
  /** Moves the time of EX-AI and of the emulator. */
  readonly later: (ms: number) => void;
  readonly config: (more?: Partial<UpstreamConfig>) => UpstreamConfig;
  /** A login as a user makes it, whose browser ends at `finish`. */
  readonly logIn: (config?: UpstreamConfig, principal?: string) => Promise<FinishedLogin>;
  /** Calls a method over a new connection; the text of the result. */
  readonly call: (tool: string, config?: UpstreamConfig, principal?: string) => Promise<string>;
}

const quiet = (logged: string[]): Log => {
  const write = (event: string, fields?: object) =>
    void logged.push(`${event} ${JSON.stringify(fields ?? {})}`);
  const log: Log = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    with: () => log,
  } as unknown as Log;
  return log;
};

/** Logins at the emulator's server, with everything real but the browser and the files. */
export async function useLogins(
  options: { clientMetadataUrl?: string } = {},
): Promise<LoginHarness> {
  let skippedMs = 0;
  const now = () => Date.now() + skippedMs;
  const clock: Clock = {
    ...systemClock,
    now,
    monotonic: () => performance.now() + skippedMs,
  };
  const emulator = await startEmulator({ vendors: createOAuthServer(), now });
  onTestFinished(() => emulator.close());
  const files = new Map<string, StoredLogin>();
  const keyOf = (server: string, principal: string) => `${server} ${principal}`;
  const hidden: string[] = [];
  const logged: string[] = [];
  const stored: LoginFiles = {
    read: (server, principal) => structuredClone(files.get(keyOf(server, principal))),
    write: (login) => void files.set(keyOf(login.server, login.principal), structuredClone(login)),
    remove: (server, principal) => void files.delete(keyOf(server, principal)),
    list: (server) => [...files.values()].filter((login) => login.server === server),
  };
  const network = async () => NETWORK;
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const logins = createLogins({
    files: stored,
    network,
    clock,
    random,
    log: quiet(logged),
    hide: (secrets) => void hidden.push(...secrets),
    redirectUrl: () => REDIRECT,
    clientMetadataUrl: () => options.clientMetadataUrl ?? '',
    onChange: () => undefined,
  });
  onTestFinished(() => logins.close());
  const connect = createConnect({ clock, random, env: {}, folder: '/', network, logins });

  function config(more: Partial<UpstreamConfig> = {}): UpstreamConfig {
    return {
      type: '',
      command: '',
      args: [],
      env: {},
      cwd: '',
      url: `${emulator.url}/oauth/mcp`,
      headers: {},
      disabled: false,
      disabledTools: [],
      shared: true,
      scan: 'off',
      sampling: 'deny',
      protocol: 'legacy',
      startTimeoutMs: 60_000,
      callTimeoutMs: 60_000,
      idleStopMs: 0,
      maxConcurrent: 8,
      ...more,
    };
  }

  return {
    emulator,
    logins,
    files,
    hidden,
    logged,
    later: (ms) => void (skippedMs += ms),
    config,
    async logIn(settings = config(), principal = OWNER) {
      const { url } = await logins.begin(SERVER, settings, principal);
      return logins.finish(answerOf(await browse(url)));
    },
    async call(tool, settings = config(), principal = OWNER) {
      const connection = await connect(
        {
          server: SERVER,
          config: settings,
          knownEra: 'legacy',
          maxMessageBytes: MAX_BYTES,
          isShared: settings.shared,
          principal,
          onStderr: () => undefined,
          signal: new LightAbortController(),
        },
        {
          onListChanged: () => undefined,
          onResourceUpdated: () => undefined,
          onFault: () => undefined,
          onClose: () => undefined,
        },
      );
      try {
        const params = { name: tool, arguments: {} };
        const result = await connection.request('tools/call', params, { timeoutMs: 60_000 });
        return JSON.stringify(result['content']);
      } finally {
        await connection.close();
      }
    },
  };
}

/** Where a browser ends, whose user agrees to everything. */
export async function browse(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}

export function answerOf(location: string) {
  const { origin, pathname, searchParams } = new URL(location);
  return { address: `${origin}${pathname}`, params: searchParams };
}
