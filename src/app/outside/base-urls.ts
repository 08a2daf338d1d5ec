import type { Config } from '#config/config.schema.ts';
import type { ProviderId } from '#core/provider.ts';

/** Where each provider is asked; empty where there is no address. */
export type BaseUrls = Readonly<Record<ProviderId, string>>;

export function baseUrlsOf({ providers }: Pick<Config, 'providers'>, customUrl: string): BaseUrls {
  const { kimi, glm, openrouter } = providers;
  return {
    kimi: kimi.baseUrl,
    glm: glm.baseUrl,
    custom: customUrl,
    openrouter: openrouter.baseUrl,
    local: '',
  };
}
