import type { LoadedConfig } from '#config/load.ts';
import { describeOrigin } from '#config/origin.ts';
import { CallError } from '#core/call-error.ts';
import { readCaFile } from '../outside/extra-ca-file.ts';
import { listReplayFolder, recordTrouble } from '../outside/recordings-folder.ts';
import { failed, type Check, type Examine } from './check.ts';

const ABOUT = { id: 'network', title: 'Network' } as const;

/** The settings of the way out. Silent where it is the plain one. */
export const network: Examine = async ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { caFile, record, replay } = loaded.config.network;
  return [
    ...proxies(loaded),
    ...(caFile === '' ? [] : [await certificates(caFile)]),
    ...(replay === '' ? [] : [replaying(replay, loaded)]),
    // Nothing is asked, and so nothing recorded, while answers are replayed.
    ...(record === '' || replay !== '' ? [] : [recording(record, loaded)]),
  ];
};

/** Hosts alone: an address of a proxy may hold a password. */
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
    return failed(ABOUT, thrown);
  }
}

function replaying(path: string, loaded: LoadedConfig): Check {
  try {
    listReplayFolder(path);
  } catch (thrown) {
    return failed(ABOUT, thrown);
  }
  return {
    ...ABOUT,
    status: 'warn',
    detail: `no provider is asked: answers come from the recordings in ${path}`,
    fix: `Unset ${setAt(loaded, 'network.replay')} to ask the providers.`,
  };
}

function recording(path: string, loaded: LoadedConfig): Check {
  const trouble = recordTrouble(path);
  if (trouble) return failed(ABOUT, trouble);
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
