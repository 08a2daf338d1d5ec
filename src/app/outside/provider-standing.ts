import type { Config } from '#config/config.schema.ts';
import type { ProviderId } from '#core/provider.ts';
import { CONFIGURED_PROVIDERS, isLimited } from '#core/providers/list.ts';
import type { ProviderStanding } from '#models/desk.ts';
import type { Providers } from './providers.ts';

/** How each provider stands. Settings do not change while the daemon runs, so neither does this. */
export function standings(
  config: Config,
  providers: Providers,
  customUrl: string,
): readonly ProviderStanding[] {
  return [...providers.values()].map(({ id, title, can }) => {
    const { configured, baseUrl, fix } = needs(config, id, customUrl);
    const maxCalls = isLimited(id) ? config.limits[id] : undefined;
    return {
      id,
      title,
      can,
      configured,
      ...(baseUrl !== '' && { host: new URL(baseUrl).host }),
      ...(maxCalls !== undefined && { maxCalls }),
      ...(!configured && { fix }),
    };
  });
}

interface Needs {
  readonly configured: boolean;
  readonly baseUrl: string;
  readonly fix: string;
}

function needs({ providers }: Config, id: ProviderId, customUrl: string): Needs {
  const known = CONFIGURED_PROVIDERS.find((each) => each.id === id);
  if (!known || known.needs === 'nothing') return { configured: true, baseUrl: '', fix: '' };
  if (known.needs === 'key') {
    const { apiKey, baseUrl } = providers[known.id];
    return { configured: apiKey !== '', baseUrl, fix: `exai keys add ${id}` };
  }
  const fix = providers.custom.discover
    ? 'start Ollama, vLLM, llama.cpp or LM Studio, then: exai stop'
    : `set ${known.settings.address.env[0]} to the address of your server`;
  return { configured: customUrl !== '', baseUrl: customUrl, fix };
}
