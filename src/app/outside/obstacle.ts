import { reason, type Reason } from '#core/messages/reasons.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { ModelStanding, ProviderStanding } from '#models/desk.ts';
import type { Model } from '#models/model.ts';

export interface Obstacle {
  readonly is: NonNullable<ModelStanding['obstacle']>;
  readonly reason: Reason;
}

/** Tells why a model cannot be asked at all, and nothing when it can. */
export function createObstacles(
  providers: readonly ProviderStanding[],
  reasonAgainst: (model: Model) => Reason | undefined,
): (model: Model) => Obstacle | undefined {
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

/** What a provider lacks: its key, or its address. */
function missing(provider: ProviderStanding | undefined): Reason {
  if (provider?.fix === undefined) return reason('provider_not_set_up');
  const { id, fix } = provider;
  return descriptorOf(id).needs === 'address'
    ? reason('no_address', { provider: id, fix })
    : reason('no_key', { provider: id });
}
