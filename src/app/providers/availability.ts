import type { Config } from '#config/schema/config.schema.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import { endpointOf } from '#core/providers/kimi-plan.ts';
import { CONFIGURED_PROVIDERS, isLimited } from '#core/providers/list.ts';
import type { ModelStatus, ProviderStatus } from '#models/model-directory.ts';
import type { Model } from '#models/model.ts';
import { addedProviders, type AddedProvider } from './added-providers.ts';
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
  // Asked for every model of every request.
  const notSetUp = new Map(providers.map((provider) => [provider.id, obstacleOf(provider)]));
  const unknown = lacking(undefined);
  return (model) => {
    if (model.state === 'retired') return SWITCHED_OFF;
    const obstacle = notSetUp.has(model.provider) ? notSetUp.get(model.provider) : unknown;
    if (obstacle) return obstacle;
    const against = reasonAgainst(model);
    return against && { is: 'lists', reason: against };
  };
}

const SWITCHED_OFF: UnavailableReason = {
  is: 'switched_off',
  reason: reason('model_switched_off'),
};

const OFFLINE: UnavailableReason = { is: 'not_set_up', reason: reason('provider_offline') };

function lacking(provider: ProviderStatus | undefined): UnavailableReason {
  return { is: 'not_set_up', reason: missing(provider) };
}

function obstacleOf(provider: ProviderStatus): UnavailableReason | undefined {
  if (!provider.configured) return lacking(provider);
  return provider.isOffline ? OFFLINE : undefined;
}

/** The missing setting of a provider: its key, or its address. */
function missing(provider: ProviderStatus | undefined): Reason {
  if (provider?.fix === undefined) return reason('provider_not_set_up');
  const { id, fix, lacks } = provider;
  return lacks === 'address'
    ? reason('no_address', { provider: id, fix })
    : reason('no_key', { provider: id });
}

/** The state of each provider by these settings. */
export function providerStates(
  config: Config,
  providers: Providers,
  customUrl: string,
): readonly ProviderStatus[] {
  const added = new Map<string, AddedProvider>(addedProviders(config).map((one) => [one.id, one]));
  return [...providers.values()].map(({ id, title, capabilities: can }) => {
    const own = added.get(id);
    const { configured, baseUrl, fix, lacks } = own ? needsOf(own) : needs(config, id, customUrl);
    const maxCalls = own
      ? own.maxCalls || undefined
      : isLimited(id)
        ? config.limits[id]
        : undefined;
    return {
      id,
      title,
      can,
      configured,
      ...(baseUrl !== '' && { host: new URL(baseUrl).host }),
      ...(config.network.offline && isElsewhere(baseUrl) && { isOffline: true as const }),
      ...(maxCalls !== undefined && { maxCalls }),
      ...(!configured && { fix, lacks }),
      ...(own && { added: own.preset?.state ?? 'own' }),
    };
  });
}

function isElsewhere(baseUrl: string): boolean {
  return baseUrl !== '' && !isLoopbackHost(new URL(baseUrl).hostname);
}

interface Needs {
  readonly configured: boolean;
  readonly baseUrl: string;
  readonly fix: string;
  readonly lacks: 'key' | 'address';
}

function needsOf({ baseUrl, lacks }: AddedProvider): Needs {
  return {
    configured: lacks === undefined,
    baseUrl,
    fix: lacks?.fix ?? '',
    lacks: lacks?.what ?? 'key',
  };
}

function needs({ providers }: Config, id: ProviderId, customUrl: string): Needs {
  const known = CONFIGURED_PROVIDERS.find((each) => each.id === id);
  if (!known || known.needs === 'nothing')
    return { configured: true, baseUrl: '', fix: '', lacks: 'key' };
  if (known.needs === 'key') {
    const { apiKey } = providers[known.id];
    const baseUrl = endpointOf(id, providers[known.id]);
    return { configured: apiKey !== '', baseUrl, fix: `exai keys add ${id}`, lacks: 'key' };
  }
  const fix = providers.custom.discover
    ? 'start Ollama, vLLM, llama.cpp or LM Studio, then: exai config reload'
    : `set ${known.settings.address.env[0]} to the address of your server`;
  return { configured: customUrl !== '', baseUrl: customUrl, fix, lacks: 'address' };
}
