import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/provider.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import { assumeModel } from '#models/assume-model.ts';
import { listedReasons } from '#models/allow.ts';
import type { ModelDesk, ModelStanding, RefreshOutcome } from '#models/desk.ts';
import type { ListedModel } from '#models/listed-model.ts';
import { mergeListing } from '#models/merge-listing.ts';
import { nameKey } from '#models/model-name.ts';
import type { Model } from '#models/model.ts';
import { LOCAL_MODEL } from '#providers/local/local-model.ts';
import { addressOf, fixOf } from './address-fix.ts';
import { baseUrlsOf } from './base-urls.ts';
import type { CatalogueHolder } from './catalogue-holder.ts';
import { createObstacles } from './obstacle.ts';
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
  const obstacleTo = createObstacles(known, reasonAgainst);
  const baseUrls = baseUrlsOf(config, customUrl);

  function models(): readonly Model[] {
    const { model: own } = config.providers.custom;
    const catalogue = held.catalogue();
    const isMissing = own !== '' && !ownNames(own).some((name) => catalogue.find(name, 'custom'));
    return [
      ...catalogue.models,
      ...(isMissing ? [assumeModel(own, 'custom')] : []),
      ...fallbackModels().filter(({ id, provider }) => !catalogue.find(id, provider)),
      ...(catalogue.find(LOCAL_MODEL.id, 'local') ? [] : [LOCAL_MODEL]),
    ];
  }

  function standing(model: Model, roles: readonly string[]): ModelStanding {
    const { note, missingSince } = model as Partial<ListedModel>;
    const against = obstacleTo(model);
    const why = against?.reason ?? unusual(note, missingSince);
    return {
      model,
      usable: against === undefined ? 'yes' : 'no',
      ...(against && { obstacle: against.is }),
      ...(why && { reason: why }),
      ...(missingSince !== undefined && { unlistedSince: missingSince }),
      roles,
    };
  }

  /** Lists are taken over one after the other: each builds on what the one before has kept. */
  let taking: Promise<unknown> = Promise.resolve();

  return {
    providers: () => known,
    models() {
      const roles = [...playedRoles(held.catalogue(), config.models, reasonAgainst)];
      return models().map((model) => {
        const played = roles.filter(([, { id, provider }]) => isSame(model, provider, id));
        return standing(
          model,
          played.map(([name]) => name),
        );
      });
    },
    resolve(name) {
      const resolved = held.catalogue().resolve(name);
      if (resolved.is === 'found') return resolved;
      const keys = ownNames(name.trim()).map(nameKey);
      const model = models().find(
        ({ id, provider, state }) =>
          state === 'live' && keys.slice(0, provider === 'custom' ? 2 : 1).includes(nameKey(id)),
      );
      return model ? { is: 'found', model } : resolved;
    },
    refreshedAtMs: () => held.refreshedAtMs(),
    async refresh(context) {
      const asked = known.map(({ id, configured, fix }) =>
        configured
          ? list(id, providers.get(id), context)
          : Promise.resolve(skipped(id, 'not set up', fix)),
      );
      const outcomes: RefreshOutcome[] = [];
      for (const answer of await Promise.all(asked)) {
        outcomes.push('listed' in answer ? await take(answer) : answer);
      }
      return outcomes;
    },
  };

  function take(listing: Listing): Promise<RefreshOutcome> {
    const taken = taking.then(() => merge(listing));
    taking = taken.catch(() => undefined);
    return taken;
  }

  async function merge({ provider, listed }: Listing): Promise<RefreshOutcome> {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const { overlay, changes, notices } = mergeListing(held.catalogue(), provider, listed, day);
    await held.keep(overlay);
    const told = changes.map(({ is, id, text }) => `${id}: ${is}, ${text}`);
    return { provider, is: 'refreshed', changes: [...told, ...notices.map(baseRenderer.notice)] };
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
      const error = CallError.from(thrown);
      const fix = fixOf(error, addressOf(id, baseUrls[id]));
      return {
        provider: id,
        is: 'failed',
        changes: [],
        because: error.message,
        ...(fix !== undefined && { fix }),
        errorClass: error.class,
      };
    }
  }
}

/** Models that only the descriptors of their providers name. */
function fallbackModels(): readonly Model[] {
  return PROVIDERS.flatMap(({ id, fallbackModels: names = [] }) =>
    names.map((name) => assumeModel(name, id)),
  );
}

interface Listing {
  readonly provider: ProviderId;
  readonly listed: Awaited<ReturnType<NonNullable<Provider['models']>>>;
}

/** What is unusual about a model that can be asked. */
function unusual(note: string | undefined, missingSince: string | undefined): Reason | undefined {
  if (missingSince !== undefined) return reason('model_unlisted', { since: missingSince });
  return note === undefined ? undefined : reason('text', { text: note });
}

/** Ollama lists under its full name what people call by the short one. */
function ownNames(name: string): readonly [string, string] {
  return [name, `${name}:latest`];
}

function isSame(model: Model, provider: ProviderId, id: string): boolean {
  return model.provider === provider && model.id === id;
}

function skipped(provider: ProviderId, because: string, fix?: string): RefreshOutcome {
  return { provider, is: 'skipped', changes: [], because, ...(fix !== undefined && { fix }) };
}
