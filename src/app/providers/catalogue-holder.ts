import { createHash } from 'node:crypto';
import type { Config } from '#config/schema/config.schema.ts';
import type { Json } from '#core/json/json.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { isUrl } from '#core/net/is-url.ts';
import { endpointOf, plansAt } from '#core/providers/kimi-plan.ts';
import { CONFIGURED_PROVIDERS, PROVIDERS } from '#core/providers/list.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { BUILT_IN } from '#models/built-in.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { withCnyPrices } from '#models/cny-prices.ts';
import { withHourCache } from '#models/hour-cache.ts';
import type { AddedModels, ModelCatalogue } from '#models/listed-model.ts';
import { readOverlay } from '#models/overlay.schema.ts';
import type { Overlay } from '#models/overlay.ts';
import { siteOf } from '#providers/glm/site.ts';
import { addedProviders } from './added-providers.ts';

/** The current catalogue, including the stored model lists of the providers. */
export interface CatalogueHolder {
  catalogue(): ModelCatalogue;
  refreshedAtMs(): number | undefined;
  /** Stores a model list; it is used at once and after a restart. */
  keep(overlay: Overlay): Promise<void>;
}

interface CatalogueHolderOptions {
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
  readonly clock: Clock;
  readonly log: Log;
  /** A list belongs to the address it came from: lists of other addresses are ignored. */
  readonly baseUrls: BaseUrls;
  /** How long Kimi is asked to cache prompts; by default five minutes. */
  readonly cacheTtl?: '5m' | '1h';
  /** The models of providers that the user has added. */
  readonly added?: readonly AddedModels[];
}

const SETTING = 'models.listed';

export async function openCatalogue(options: CatalogueHolderOptions): Promise<CatalogueHolder> {
  const { settings, clock, log, baseUrls, added = [], cacheTtl } = options;
  const stored = recordOf(await settings.get(SETTING));
  const { overlay, notice } =
    'overlay' in stored ? readOverlay(stored['overlay']) : { overlay: [] };
  if (notice) log.warn('models_overlay_damaged', { notice: baseRenderer.notice(notice) });

  const digests = new Map<string, string>(
    Object.entries(baseUrls).map(([id, url]) => [id, addressDigest(url ?? '')]),
  );
  const from = recordOf(stored['from']);
  const isOurs = ({ provider }: Overlay[number]) =>
    digests.has(provider) && from[provider] === digests.get(provider);
  const own = overlay.filter(isOurs);
  let others: Overlay = overlay.filter((entry) => !isOurs(entry));
  // bigmodel.cn charges other prices than z.ai.
  const isChinese = siteOf(baseUrls.glm ?? '').name === 'bigmodel';
  const priced = isChinese ? withCnyPrices(BUILT_IN) : BUILT_IN;
  const builtIn = cacheTtl === '1h' ? withHourCache(priced) : priced;
  let catalogue = createCatalogue(own, { plans: plansAt(baseUrls), builtIn, added });
  const atMs = stored['atMs'];
  let refreshedAtMs = typeof atMs === 'number' && own.length > 0 ? atMs : undefined;

  return {
    catalogue: () => catalogue,
    refreshedAtMs: () => refreshedAtMs,
    async keep(listed) {
      const now = clock.now();
      const providers = providersOf(listed);
      // The list of a previous address is available again when the user returns to it, unless the
      // current one has provided its own.
      const left = others.filter(({ provider }) => !providers.has(provider));
      const digestsNow = Object.fromEntries([
        ...[...providersOf(left)].map((id) => [id, from[id] ?? null] as const),
        ...[...providers].map((id) => [id, digests.get(id) ?? null] as const),
      ]);
      // Consists of plain values, which the interface type cannot express.
      const whole = [...left, ...listed] as unknown as Json;
      await settings.set(SETTING, { atMs: now, from: digestsNow, overlay: whole });
      others = left;
      catalogue = catalogue.withOverlay(listed);
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

/**
 * Distinguishes two addresses without revealing them. Credentials are ignored: they identify the
 * caller, not the server.
 */
function addressDigest(baseUrl: string): string {
  return createHash('sha256').update(withoutCredentials(baseUrl)).digest('hex');
}

function withoutCredentials(baseUrl: string): string {
  if (!isUrl(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href;
}

/** The address of each provider; empty if there is none. */
export type BaseUrls = Readonly<Partial<Record<ProviderId, string>>>;

export function baseUrlsOf(config: Pick<Config, 'providers'>, customUrl: string): BaseUrls {
  const { providers } = config;
  const known = PROVIDERS.map(({ id }): [ProviderId, string] => [id, '']);
  const set = CONFIGURED_PROVIDERS.map(({ id }): [ProviderId, string] => [
    id,
    id === 'custom' ? customUrl : endpointOf(id, providers[id]),
  ]);
  const added = addedProviders(config).map(({ id, baseUrl }): [ProviderId, string] => [
    id,
    baseUrl,
  ]);
  return Object.fromEntries([...known, ...set, ...added]) as BaseUrls;
}
