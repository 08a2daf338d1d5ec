import type { LoadedConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import { CallError } from '#core/errors/call-error.ts';
import { listReplayFolder, readCaFile, recordFolderError } from '../providers/network.ts';
import { failedCheck, type Check, type RunCheck } from './check.ts';

const ABOUT = { id: 'network', title: 'Network' } as const;

/** Checks the outbound network settings. Silent if they are the defaults. */
export const checkNetwork: RunCheck = async ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { caFile, record, replay } = loaded.config.network;
  return [
    ...proxies(loaded),
    ...(caFile === '' ? [] : [await certificates(caFile)]),
    ...(replay === '' ? [] : [createReplay(replay, loaded)]),
    // Nothing is sent, and so nothing recorded, while answers are replayed.
    ...(record === '' || replay !== '' ? [] : [recording(record, loaded)]),
  ];
};

/** Only hosts: a proxy URL may contain a password. */
function proxies({ config: { network: settings } }: LoadedConfig): readonly Check[] {
  const kinds = [
    ['https', settings.httpsProxy],
    ['http', settings.httpProxy],
  ] as const;
  const through = kinds.flatMap(([kind, url]) =>
    url === '' ? [] : `${kind} through ${new URL(url).host}`,
  );
  if (through.length === 0) return [];
  return [{ ...ABOUT, status: 'ok', detail: through.join(', ') }];
}

async function certificates(path: string): Promise<Check> {
  try {
    await readCaFile(path);
    return { ...ABOUT, status: 'ok', detail: `also trusts the certificates of ${path}` };
  } catch (thrown) {
    return failedCheck(ABOUT, thrown);
  }
}

function createReplay(path: string, loaded: LoadedConfig): Check {
  try {
    listReplayFolder(path);
  } catch (thrown) {
    return failedCheck(ABOUT, thrown);
  }
  return {
    ...ABOUT,
    status: 'warn',
    detail: `no provider is asked: answers come from the recordings in ${path}`,
    fix: `Unset ${setAt(loaded, 'network.replay')} to ask the providers.`,
  };
}

function recording(path: string, loaded: LoadedConfig): Check {
  const trouble = recordFolderError(path);
  if (trouble) return failedCheck(ABOUT, trouble);
  return {
    ...ABOUT,
    status: 'warn',
    detail: `all traffic with providers is recorded in ${path}`,
    fix: `Unset ${setAt(loaded, 'network.record')} when you have what you need.`,
  };
}

function setAt({ origins }: LoadedConfig, path: string): string {
  const origin = origins.get(path);
  if (!origin || origin.kind === 'default') return path;
  return origin.kind === 'file' ? `${path} in ${describeOrigin(origin)}` : describeOrigin(origin);
}
