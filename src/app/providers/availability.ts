import type { Config } from '#config/schema/config.schema.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { CONFIGURED_PROVIDERS, descriptorOf, isLimited } from '#core/providers/list.ts';
import type { ModelStatus, ProviderStatus } from '#models/model-directory.ts';
import type { Model } from '#models/model.ts';
import type { Providers } from './providers.ts';

export interface UnavailableReason {
  readonly is: NonNullable<ModelStatus['obstacle']>;
  readonly reason: Reason;
}

/** Creates a function that returns why a model is unavailable; undefined if it is available. */
export function createAvailability(
  providers: readonly ProviderStatus[],
  reasonAgainst: (model: Model) => Reason | undefined,
): (model: Model) => UnavailableReason | undefined {
  const known = new Map(providers.map((provider) => [provider.id, provider]));
  return (model) => {
    if (model.state === 'retired') {
      return { is: 'switched_off', reason: reason('model_switched_off') };
    }
    const provider = known.get(model.provider);
    if (provider?.configured !== true) return { is: 'not_set_up', reason: missing(provider) };
    const against = reasonAgainst(model);
    return against && { is: 'lists', reason: against };
  };
}

/** The missing setting of a provider: its key, or its address. */
function missing(provider: ProviderStatus | undefined): Reason {
  if (provider?.fix === undefined) return reason('provider_not_set_up');
  const { id, fix } = provider;
  return descriptorOf(id).needs === 'address'
    ? reason('no_address', { provider: id, fix })
    : reason('no_key', { provider: id });
}

/**
 * The state of each provider. Settings do not change while the daemon runs, so neither does this.
 */
export function providerStates(
  config: Config,
  providers: Providers,
  customUrl: string,
): readonly ProviderStatus[] {
  return [...providers.values()].map(({ id, title, capabilities: can }) => {
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
