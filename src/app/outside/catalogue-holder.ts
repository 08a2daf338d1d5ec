import type { Clock } from '#core/clock.ts';
import type { Json } from '#core/json.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/provider.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ModelCatalogue } from '#models/listed-model.ts';
import { readOverlay } from '#models/overlay.schema.ts';
import type { Overlay } from '#models/overlay.ts';
import { addressDigest } from './address-digest.ts';
import type { BaseUrls } from './base-urls.ts';

/** The catalogue as it is now, and what was kept of the providers' lists. */
export interface CatalogueHolder {
  catalogue(): ModelCatalogue;
  refreshedAtMs(): number | undefined;
  /** In use at once, and after a restart. */
  keep(overlay: Overlay): Promise<void>;
}

export interface CatalogueHolderOptions {
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
  readonly clock: Clock;
  readonly log: Log;
  /** A list belongs to the address that it came from: what another told of a provider is left out. */
  readonly baseUrls: BaseUrls;
}

const SETTING = 'models.listed';

export async function openCatalogue(options: CatalogueHolderOptions): Promise<CatalogueHolder> {
  const { settings, clock, log, baseUrls } = options;
  const kept = recordOf(await settings.get(SETTING));
  const { overlay, notice } = 'overlay' in kept ? readOverlay(kept['overlay']) : { overlay: [] };
  if (notice) log.warn('models_overlay_damaged', { notice: baseRenderer.notice(notice) });

  const digests = new Map(PROVIDER_IDS.map((id) => [id, addressDigest(baseUrls[id])]));
  const from = recordOf(kept['from']);
  const isOurs = ({ provider }: Overlay[number]) => from[provider] === digests.get(provider);
  const own = overlay.filter(isOurs);
  let others: Overlay = overlay.filter((entry) => !isOurs(entry));
  let catalogue = createCatalogue(own);
  const atMs = kept['atMs'];
  let refreshedAtMs = typeof atMs === 'number' && own.length > 0 ? atMs : undefined;

  return {
    catalogue: () => catalogue,
    refreshedAtMs: () => refreshedAtMs,
    async keep(listed) {
      const now = clock.now();
      const providers = providersOf(listed);
      // Whoever goes back to the other address finds its list again, unless this one has given its own.
      const left = others.filter(({ provider }) => !providers.has(provider));
      const digestsNow = Object.fromEntries([
        ...[...providersOf(left)].map((id) => [id, from[id] ?? null] as const),
        ...[...providers].map((id) => [id, digests.get(id) ?? null] as const),
      ]);
      // Of plain values throughout, which the type of an interface cannot say.
      const whole = [...left, ...listed] as unknown as Json;
      await settings.set(SETTING, { atMs: now, from: digestsNow, overlay: whole });
      others = left;
      catalogue = createCatalogue(listed);
      refreshedAtMs = now;
    },
  };
}

function providersOf(overlay: Overlay): ReadonlySet<ProviderId> {
  return new Set(overlay.map(({ provider }) => provider));
}

function recordOf(json: Json | undefined): Readonly<Record<string, Json>> {
  return typeof json === 'object' && json !== null ? Object.fromEntries(Object.entries(json)) : {};
}
