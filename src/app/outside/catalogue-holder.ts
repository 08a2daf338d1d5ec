import type { Clock } from '#core/clock.ts';
import type { Json } from '#core/json.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ModelCatalogue } from '#models/listed-model.ts';
import { readOverlay } from '#models/overlay.schema.ts';
import type { Overlay } from '#models/overlay.ts';

/** The catalogue as it is now, and what was kept of the providers' lists. */
export interface CatalogueHolder {
  catalogue(): ModelCatalogue;
  refreshedAtMs(): number | undefined;
  /** In use at once, and after a restart. */
  keep(overlay: Overlay): Promise<void>;
}

const SETTING = 'models.listed';

export async function openCatalogue(
  settings: Pick<SettingStore, 'get' | 'set'>,
  clock: Clock,
  log: Log,
): Promise<CatalogueHolder> {
  const kept = (await settings.get(SETTING)) as { atMs?: Json; overlay?: Json } | undefined;
  let refreshedAtMs = typeof kept?.atMs === 'number' ? kept.atMs : undefined;
  const { overlay, notice } = kept ? readOverlay(kept.overlay) : { overlay: [] };
  if (notice !== undefined) log.warn('models_overlay_damaged', { notice });
  let catalogue = createCatalogue(overlay);
  return {
    catalogue: () => catalogue,
    refreshedAtMs: () => refreshedAtMs,
    async keep(listed) {
      const atMs = clock.now();
      // Of plain values throughout, which the type of an interface cannot say.
      await settings.set(SETTING, { atMs, overlay: listed as unknown as Json });
      catalogue = createCatalogue(listed);
      refreshedAtMs = atMs;
    },
  };
}
