import type { Config } from '#config/config.schema.ts';
import type { ProviderId } from '#core/provider.ts';
import { CONFIGURED_PROVIDERS, PROVIDERS } from '#core/providers/list.ts';

/** Where each provider is asked; empty where there is no address. */
export type BaseUrls = Readonly<Record<ProviderId, string>>;

export function baseUrlsOf({ providers }: Pick<Config, 'providers'>, customUrl: string): BaseUrls {
  const known = PROVIDERS.map(({ id }): [ProviderId, string] => [id, '']);
  const set = CONFIGURED_PROVIDERS.map(({ id }): [ProviderId, string] => [
    id,
    id === 'custom' ? customUrl : providers[id].baseUrl,
  ]);
  return Object.fromEntries([...known, ...set]) as BaseUrls;
}
