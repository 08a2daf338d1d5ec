import { existsSync } from 'node:fs';
import type { LoadedConfig } from '#config/load/load.ts';
import { isErrorClass } from '#core/errors/error-class.ts';
import { createIds } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import { isProvenByKeyTest } from '#resilience/key-test-proof.ts';
import { storedBreakers, storeSchema } from '#store/backup/maintenance.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { claimHome } from '../daemon/single-instance.ts';
import { accountDigests, type AccountDigests } from '../manager/account-digests.ts';
import { SILENT_LOG } from '../providers/silent-log.ts';
import { storePart } from '../store-part.ts';
import type { System } from '../system.ts';

/** Ends the cool-downs of an account that accepts its key again. Unix socket, owner alone. */
export const LIFT_METHOD = 'exai/accounts/lift';

export interface LiftParams {
  readonly provider: string;
  /** The digest of the tested key and address. */
  readonly account: string;
}

export type LiftResult =
  | {
      readonly is: 'lifted';
      /** Keys of the breakers that were closed: `kimi` for the account, `kimi/kimi-k3` for a model. */
      readonly lifted: readonly string[];
    }
  /** The daemon uses another key or address than the tested one, so nothing was lifted. */
  | { readonly is: 'other_account' };

/** The params of the method for each provider. */
export function liftParams(
  { config }: LoadedConfig,
  providers: readonly string[],
): readonly LiftParams[] {
  const digests = accountDigests(config.providers);
  return providers.flatMap((provider) => {
    const account = digests.of(provider);
    return account === undefined ? [] : [{ provider, account }];
  });
}

export function readLiftParams(params: unknown): LiftParams {
  const { provider, account } = (params ?? {}) as Partial<Record<keyof LiftParams, unknown>>;
  return { provider: String(provider), account: String(account) };
}

/**
 * Ends cool-downs in the store of a home whose daemon does not run, so that the next one does not
 * restore them. A store of another version is left alone, as opening it would migrate it.
 */
export async function liftStored(
  loaded: LoadedConfig,
  providers: readonly string[],
  { clock, random }: Pick<System, 'clock' | 'random'>,
): Promise<readonly string[]> {
  const { config, home } = loaded;
  // Without a lock file no daemon has run here.
  if (!existsSync(home.lockFile)) return [];
  if (config.database === '' && !existsSync(sqliteFile(home.dataDir))) return [];
  const { dataDir, backupDir } = home;
  const place = { database: config.database, dataDir, backupDir };
  const digests = accountDigests(config.providers);
  if ((await storeSchema(place)) !== MIGRATIONS.length) return [];
  // Read first: mostly there is nothing to lift, and then nothing is written.
  if (liftable(await storedBreakers(place), digests, providers).length === 0) return [];
  const claim = await claimHome(home, clock);
  try {
    const newId = createIds(clock, random);
    const part = storePart(loaded, { clock, newId, random, log: SILENT_LOG });
    const store = await part.start();
    try {
      return await liftSaved(store.breakers, digests, providers);
    } finally {
      await part.stop(store);
    }
  } finally {
    claim.release();
  }
}

/** Saves the closed state of each stored breaker that an accepted key disproves. */
export async function liftSaved(
  store: BreakerStore,
  digests: AccountDigests,
  providers: readonly string[],
): Promise<readonly string[]> {
  const found = liftable(await store.all(), digests, providers);
  for (const { key, state } of found) {
    const { trips } = state as { trips?: unknown };
    const closed = { is: 'closed', trips: typeof trips === 'number' ? trips : 0, closedForMs: 0 };
    await store.save(key, digests.marked(key, closed));
  }
  return found.map(({ key }) => key);
}

function liftable(saved: SavedBreakers, digests: AccountDigests, providers: readonly string[]) {
  return digests
    .known(saved)
    .filter(
      ({ key, state }) => providers.includes(key.split('/', 1)[0] ?? '') && isLiftable(state),
    );
}

type SavedBreakers = Awaited<ReturnType<BreakerStore['all']>>;

function isLiftable(state: Json): boolean {
  const { is, trouble } = (state ?? {}) as { is?: unknown; trouble?: { class?: unknown } };
  const errorClass = trouble?.class;
  if (is === 'closed' || typeof errorClass !== 'string' || !isErrorClass(errorClass)) return false;
  return isProvenByKeyTest(errorClass);
}
