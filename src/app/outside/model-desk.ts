import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { listedReasons } from '#models/allow.ts';
import type { ModelDesk, ModelStanding, RefreshOutcome } from '#models/desk.ts';
import type { ListedModel } from '#models/listed-model.ts';
import { mergeListing } from '#models/merge-listing.ts';
import type { Model } from '#models/model.ts';
import { LOCAL_MODEL } from '#providers/local/local-model.ts';
import type { CatalogueHolder } from './catalogue-holder.ts';
import { playedRoles } from './played-roles.ts';
import { standings } from './provider-standing.ts';
import type { Providers } from './providers.ts';

export interface ModelDeskOptions {
  readonly config: Config;
  readonly providers: Providers;
  readonly held: CatalogueHolder;
  readonly clock: Clock;
  /** Where the user's own server is; empty when there is none. */
  readonly customUrl: string;
}

/** What tools and commands are told of models and providers, and the refresh that changes it. */
export function createModelDesk(options: ModelDeskOptions): ModelDesk {
  const { config, providers, held, clock, customUrl } = options;
  const reasonAgainst = listedReasons({ allow: config.models.allow, deny: config.models.deny });
  const known = standings(config, providers, customUrl);

  function models(): readonly Model[] {
    const { model: own } = config.providers.custom;
    const catalogue = held.catalogue();
    const isMissing = own !== '' && !catalogue.find(own, 'custom');
    return [
      ...catalogue.models,
      ...(isMissing ? [assumeModel(own, 'custom')] : []),
      ...(catalogue.find(LOCAL_MODEL.id, 'local') ? [] : [LOCAL_MODEL]),
    ];
  }

  function standing(model: Model, roles: readonly string[]): ModelStanding {
    const provider = known.find(({ id }) => id === model.provider);
    const note = (model as Partial<ListedModel>).note;
    const against =
      model.state === 'retired'
        ? 'it is switched off'
        : provider?.configured !== true
          ? (provider?.fix ?? 'its provider is not set up')
          : reasonAgainst(model);
    const because = against ?? note;
    return {
      model,
      usable: against === undefined ? 'yes' : 'no',
      ...(because !== undefined && { because }),
      roles,
    };
  }

  return {
    providers: () => known,
    models() {
      const roles = playedRoles(held.catalogue(), config.models);
      return models().map((model) => standing(model, roles.get(model.id) ?? []));
    },
    refreshedAtMs: () => held.refreshedAtMs(),
    async refresh(context) {
      const asked = known.map(({ id, configured, fix }) =>
        configured
          ? list(id, providers.get(id), context)
          : Promise.resolve(skipped(id, fix ?? 'it is not set up')),
      );
      const outcomes: RefreshOutcome[] = [];
      for (const answer of await Promise.all(asked)) {
        outcomes.push('listed' in answer ? await take(answer) : answer);
      }
      return outcomes;
    },
  };

  async function take({ provider, listed }: Listing): Promise<RefreshOutcome> {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const { overlay, changes, notices } = mergeListing(held.catalogue(), provider, listed, day);
    await held.keep(overlay);
    const told = changes.map(({ is, id, text }) => `${id}: ${is}, ${text}`);
    return { provider, is: 'refreshed', changes: [...told, ...notices] };
  }
}

interface Listing {
  readonly provider: ProviderId;
  readonly listed: Awaited<ReturnType<NonNullable<Provider['models']>>>;
}

async function list(
  id: ProviderId,
  provider: Provider | undefined,
  context: ProviderContext,
): Promise<Listing | RefreshOutcome> {
  if (!provider?.models) return skipped(id, 'it has no list to ask for');
  try {
    return { provider: id, listed: await provider.models(context) };
  } catch (thrown) {
    const { class: errorClass, message } = CallError.from(thrown);
    return { provider: id, is: 'failed', changes: [], because: message, errorClass };
  }
}

function skipped(provider: ProviderId, because: string): RefreshOutcome {
  return { provider, is: 'skipped', changes: [], because };
}
