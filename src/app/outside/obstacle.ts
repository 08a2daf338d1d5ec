import type { ModelStanding, ProviderStanding } from '#models/desk.ts';
import type { Model } from '#models/model.ts';

export interface Obstacle {
  readonly is: NonNullable<ModelStanding['obstacle']>;
  readonly because: string;
}

/** Tells why a model cannot be asked at all, and nothing when it can. */
export function createObstacles(
  providers: readonly ProviderStanding[],
  reasonAgainst: (model: Model) => string | undefined,
): (model: Model) => Obstacle | undefined {
  const known = new Map(providers.map((provider) => [provider.id, provider]));
  return (model) => {
    if (model.state === 'retired') return { is: 'switched_off', because: 'it is switched off' };
    const provider = known.get(model.provider);
    if (provider?.configured !== true) {
      return { is: 'not_set_up', because: provider?.fix ?? 'its provider is not set up' };
    }
    const because = reasonAgainst(model);
    return because === undefined ? undefined : { is: 'lists', because };
  };
}
