import { accessSync, constants, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Http } from '#core/net/http.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { createHttp, type GuardedHttp, type NetworkSettings } from '#net/create-http.ts';
import type { Recorder } from '#net/recording/record.ts';

/** The outbound HTTP clients: one for configured addresses, and one for untrusted addresses. */
export interface Network {
  readonly http: GuardedHttp<'configured' | 'public'>;
  readonly publicHttp: GuardedHttp<'public'>;
  close(): Promise<void>;
}

interface NetworkOptions {
  readonly settings: Config['network'];
  /** Maximum number of calls that wait for vendors at once, and so for one of them. */
  readonly maxCalls?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Texts that recordings must not contain. */
  readonly secrets: () => readonly string[];
}

/** Minimum per destination: a call may request several answers. */
const CONNECTIONS = 64;

/** Optional parts are imported on demand, so that the daemon starts fast. */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const { settings, clock, secrets } = options;
  const { replay } = settings;
  if (replay !== '') {
    const { createReplay } = await import('#net/recording/replay.ts');
    const list = async () => listReplayFolder(replay);
    const http = createReplay({ folder: { list, read: read(replay) }, secrets });
    return { http, publicHttp: http, close: () => http.close() };
  }
  const network = await networkSettings(settings);
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

/** The settings of the network with the certificates that they name. */
export async function networkSettings(settings: Config['network']): Promise<NetworkSettings> {
  return {
    ...settings,
    reach: settings.offline ? 'this_machine' : 'any',
    extraCa: await readCaFile(settings.caFile),
  };
}

async function openRecorder({ settings, clock, log, secrets }: NetworkOptions): Promise<Recorder> {
  const { createRecorder } = await import('#net/recording/record.ts');
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

/**
 * Creates the folder of `network.record` if it is missing. Its parent must exist, so that a
 * mistyped path is not created.
 */
export function makeRecordFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (!isFolder(path)) throw unusable(path, thrown);
  }
}

/** Why recording there would fail; undefined if it would not. Changes nothing. */
export function recordFolderError(path: string): CallError | undefined {
  if (isFolder(path)) return undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false })) return unusable(path, undefined);
    // Node reports a file instead of the folder in some versions only.
    if (!isFolder(dirname(path))) statSync(`${dirname(path)}/`);
    accessSync(dirname(path), constants.W_OK);
    return undefined;
  } catch (thrown) {
    return unusable(path, thrown);
  }
}

/** The file names in the folder of `network.replay`; throws with a fix if it is unusable. */
export function listReplayFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (thrown) {
    const { message } = CallError.from(thrown);
    throw new CallError('validation', `There are no recordings in network.replay: ${message}`, {
      field: 'network.replay',
      fixes: [
        fix('set_setting', {
          setting: 'EXAI_REPLAY',
          value: 'a folder that EXAI_RECORD has filled',
        }),
        fix('unset_setting', { setting: 'EXAI_REPLAY' }),
      ],
      cause: thrown,
    });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // An unreadable path is also unwritable; the attempt reports why.
    return false;
  }
}

function unusable(path: string, cause: unknown): CallError {
  const why = cause === undefined ? 'a file is in the way' : CallError.from(cause).message;
  return new CallError('validation', `Nothing can be recorded in ${path}: ${why}`, {
    field: 'network.record',
    fixes: [
      fix('set_setting', {
        setting: 'EXAI_RECORD',
        value: `a folder that is there, or whose parent is (here ${dirname(path)})`,
      }),
      fix('unset_setting', { setting: 'EXAI_RECORD' }),
    ],
    cause,
  });
}

/**
 * The certificates of `network.caFile`; empty without one. An unusable file is an error before
 * anything is sent, because every connection would fail without it.
 */
export async function readCaFile(path: string): Promise<string> {
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
        fixes: [
          fix('set_setting', {
            setting: 'EXAI_CA_FILE',
            value: 'a readable file of certificates in PEM',
          }),
          fix('unset_setting', { setting: 'EXAI_CA_FILE and NODE_EXTRA_CA_CERTS' }),
        ],
        cause: thrown,
      },
    );
  }
}
