import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import { createHttp, type GuardedHttp } from '#net/create-http.ts';
import type { NetworkSettings } from '#net/network-settings.ts';

/** The way out, once for addresses of the configuration and once for those that came from outside. */
export interface Network {
  readonly http: GuardedHttp<'configured' | 'public'>;
  readonly publicHttp: GuardedHttp<'public'>;
  close(): Promise<void>;
}

export interface NetworkOptions {
  readonly settings: Config['network'];
  readonly clock: Clock;
  readonly log: Log;
  /** What no recording may hold. */
  readonly secrets: () => readonly string[];
}

/** What only some need is loaded only for them: the daemon starts with as little as it can. */
export async function createNetwork({
  settings,
  clock,
  log,
  secrets,
}: NetworkOptions): Promise<Network> {
  const { record, replay } = settings;
  if (replay !== '') {
    const { replaying } = await import('#net/replay.ts');
    const http = replaying({ folder: { list: list(replay), read: read(replay) }, secrets });
    return { http, publicHttp: http, close: () => http.close() };
  }
  const network: NetworkSettings = { ...settings, extraCa: await readCa(settings.caFile) };
  const http = createHttp({ network, guard: 'configured', clock });
  const publicHttp = createHttp({ network, guard: 'public', clock });
  const own =
    record === '' ? http : await recorded(http, record, { settings, clock, log, secrets });
  return {
    http: own,
    publicHttp,
    async close() {
      await Promise.all([own.close(), publicHttp.close()]);
    },
  };
}

async function recorded<H extends GuardedHttp<'configured'>>(
  http: H,
  path: string,
  { clock, log, secrets }: NetworkOptions,
): Promise<H> {
  const { recording } = await import('#net/record.ts');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  log.warn('recording_provider_traffic', { folder: path });
  return recording(http, {
    folder: {
      list: list(path),
      write: (name, text) => writeFile(join(path, name), text, { mode: 0o600, flag: 'wx' }),
    },
    secrets,
    clock,
    onFailure: (error) => log.error('recording_failed', { error: error.toJSON() }),
  });
}

function list(path: string) {
  return async () => {
    try {
      return readdirSync(path);
    } catch (thrown) {
      throw CallError.from(thrown, { field: 'network.replay' });
    }
  };
}

function read(path: string) {
  return (name: string) => readFile(join(path, name), 'utf8');
}

/** A file that cannot be read is told before anything is sent: without it every connection would fail. */
async function readCa(path: string): Promise<string> {
  if (path === '') return '';
  try {
    const { checkCa } = await import('#net/connect/extra-ca.ts');
    const pem = readFileSync(path, 'utf8');
    checkCa(pem);
    return pem;
  } catch (thrown) {
    const { message } = CallError.from(thrown);
    throw new CallError(
      'validation',
      `The certificates of network.caFile are unusable: ${message}`,
      {
        field: 'network.caFile',
        fix: 'Name a readable file of certificates in PEM, or leave EXAI_CA_FILE and NODE_EXTRA_CA_CERTS unset.',
        cause: thrown,
      },
    );
  }
}
