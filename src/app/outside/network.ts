import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config/config.schema.ts';
import type { Clock } from '#core/clock.ts';
import type { Http } from '#core/http.ts';
import type { Log } from '#core/telemetry.ts';
import { createHttp, type GuardedHttp } from '#net/create-http.ts';
import type { NetworkSettings } from '#net/network-settings.ts';
import type { Recorder } from '#net/record.ts';
import { readCaFile } from './extra-ca-file.ts';
import { listReplayFolder, makeRecordFolder } from './recordings-folder.ts';

/** The way out, once for addresses of the configuration and once for those that came from outside. */
export interface Network {
  readonly http: GuardedHttp<'configured' | 'public'>;
  readonly publicHttp: GuardedHttp<'public'>;
  close(): Promise<void>;
}

export interface NetworkOptions {
  readonly settings: Config['network'];
  /** How many calls may wait for vendors at once, and so for one of them. */
  readonly maxCalls?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** What no recording may hold. */
  readonly secrets: () => readonly string[];
}

/** Of one destination, at least: a call may ask for several answers. */
const CONNECTIONS = 64;

/** What only some need is loaded only for them: the daemon starts with as little as it can. */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const { settings, clock, secrets } = options;
  const { replay } = settings;
  if (replay !== '') {
    const { replaying } = await import('#net/replay.ts');
    const list = async () => listReplayFolder(replay);
    const http = replaying({ folder: { list, read: read(replay) }, secrets });
    return { http, publicHttp: http, close: () => http.close() };
  }
  const network: NetworkSettings = { ...settings, extraCa: await readCaFile(settings.caFile) };
  const recorder = settings.record === '' ? undefined : await openRecorder(options);
  const recorded = <H extends Http>(http: H): H => recorder?.recording(http) ?? http;
  const maxConnections = Math.max(CONNECTIONS, options.maxCalls ?? 0);
  const http = recorded(createHttp({ network, guard: 'configured', clock, maxConnections }));
  const publicHttp = recorded(createHttp({ network, guard: 'public', clock }));
  return {
    http,
    publicHttp,
    async close() {
      await Promise.all([http.close(), publicHttp.close()]);
    },
  };
}

async function openRecorder({ settings, clock, log, secrets }: NetworkOptions): Promise<Recorder> {
  const { createRecorder } = await import('#net/record.ts');
  const path = settings.record;
  makeRecordFolder(path);
  log.warn('recording_provider_traffic', { folder: path });
  return createRecorder({
    folder: {
      list: async () => readdirSync(path),
      write: (name, text) => writeFile(join(path, name), text, { mode: 0o600, flag: 'wx' }),
    },
    secrets,
    clock,
    onFailure: (error) => log.error('recording_failed', { error: error.toJSON() }),
  });
}

function read(path: string) {
  return (name: string) => readFile(join(path, name), 'utf8');
}
