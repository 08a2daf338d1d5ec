import type { Config } from '#config/config.schema.ts';
import type { ProviderId } from '#core/provider.ts';
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
    const maxCalls = id === 'kimi' || id === 'glm' ? config.limits[id] : undefined;
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
  switch (id) {
    case 'local':
      return { configured: true, baseUrl: '', fix: '' };
    case 'custom': {
      const fix = providers.custom.discover
        ? 'start Ollama, vLLM, llama.cpp or LM Studio, then: exai stop'
        : 'set CUSTOM_API_URL to the address of your server';
      return { configured: customUrl !== '', baseUrl: customUrl, fix };
    }
    case 'kimi':
    case 'glm':
    case 'openrouter': {
      const { apiKey, baseUrl } = providers[id];
      return { configured: apiKey !== '', baseUrl, fix: `exai keys add ${id}` };
    }
  }
}
