import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { descriptorOf, PROVIDERS } from '#core/providers/list.ts';
import type { Clock } from '#core/time/clock.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { ListedModel, ModelCatalogue } from '#models/listed-model.ts';
import { mergeListing } from '#models/merge-listing.ts';
import type { ModelDirectory, ModelStatus, RefreshOutcome } from '#models/model-directory.ts';
import { listedReasons } from '#models/model-lists.ts';
import { nameKey } from '#models/model-name.ts';
import type { Model, ResolvedModel } from '#models/model.ts';
import { resolveRole, ROLE_NAMES, withRoleModels, type RoleName } from '#models/roles.ts';
import { EXTRACTIVE_MODEL } from '#providers/extractive/extractive-model.ts';
import { addressOf, fixOf } from './address-hint.ts';
import { createAvailability, providerStates } from './availability.ts';
import { baseUrlsOf, type CatalogueHolder } from './catalogue-holder.ts';
import type { Providers } from './providers.ts';

interface ModelDirectoryOptions {
  readonly config: Config;
  readonly providers: Providers;
  readonly held: CatalogueHolder;
  readonly clock: Clock;
  /** The URL of the user's own server; empty if there is none. */
  readonly customUrl: string;
}

/**
 * Information about models and providers for tools and commands, and the refresh that updates it.
 */
export function createModelDirectory(options: ModelDirectoryOptions): ModelDirectory {
  const { config, providers, held, clock, customUrl } = options;
  const reasonAgainst = listedReasons({ allow: config.models.allow, deny: config.models.deny });
  const known = providerStates(config, providers, customUrl);
  const obstacleTo = createAvailability(known, reasonAgainst);
  const baseUrls = baseUrlsOf(config, customUrl);

  function models(): readonly Model[] {
    const { model: own } = config.providers.custom;
    const catalogue = held.catalogue();
    const isMissing = own !== '' && !ownNames(own).some((name) => catalogue.find(name, 'custom'));
    return [
      ...catalogue.models,
      ...(isMissing ? [assumeModel(own, 'custom')] : []),
      ...fallbackModels().filter(({ id, provider }) => !catalogue.find(id, provider)),
      ...(catalogue.find(EXTRACTIVE_MODEL.id, 'extractive') ? [] : [EXTRACTIVE_MODEL]),
    ];
  }

  function statusOf(model: Model, roles: readonly string[]): ModelStatus {
    const { note, missingSince, isAssumed } = model as Partial<ListedModel>;
    const against = obstacleTo(model);
    const why =
      against?.reason ??
      unusual(note, missingSince) ??
      (isAssumed ? reason('model_assumed') : undefined);
    return {
      model,
      isUsable: against === undefined,
      ...(against && { obstacle: against.is }),
      ...(why && { reason: why }),
      ...(missingSince !== undefined && { unlistedSince: missingSince }),
      roles,
    };
  }

  /**
   * A name such as `moonshotai/kimi-k3` is a model of its vendor and one of OpenRouter. It stays with
   * the vendor where that is set up, with a notice; otherwise OpenRouter answers.
   */
  function withRoutedModel(name: string, resolved: FoundModel): FoundModel {
    const { model } = resolved;
    const { openRouterVendor: vendor } = descriptorOf(model.provider);
    if (vendor === undefined || !name.toLowerCase().startsWith(`${vendor}/`)) return resolved;
    const listed = held.catalogue().find(name, 'openrouter');
    const routed = listed ?? assumeModel(name, 'openrouter');
    if (obstacleTo(routed) !== undefined) return resolved;
    if (obstacleTo(model)?.is === 'not_set_up')
      return { is: 'found', model: routed, ...(!listed && { isOnTrust: true as const }) };
    if (!listed || resolved.notice) return resolved;
    const kept = { model: model.id, name, provider: model.provider };
    return { ...resolved, notice: notice('model_kept_at_vendor', kept) };
  }

  /** Lists are stored one after the other: each builds on the result of the previous one. */
  let taking: Promise<unknown> = Promise.resolve();

  return {
    providers: () => known,
    models() {
      const roles = [...rolesOfModels(held.catalogue(), config.models, reasonAgainst)];
      return models().map((model) => {
        const played = roles.filter(([, { id, provider }]) => isSame(model, provider, id));
        return statusOf(
          model,
          played.map(([name]) => name),
        );
      });
    },
    resolve(name) {
      const resolved = held.catalogue().resolve(name);
      if (resolved.is === 'found') return withRoutedModel(name.trim(), resolved);
      const keys = ownNames(name.trim()).map(nameKey);
      const model = models().find(
        ({ id, provider, state }) =>
          state === 'live' && keys.slice(0, provider === 'custom' ? 2 : 1).includes(nameKey(id)),
      );
      return model ? { is: 'found', model } : resolved;
    },
    refreshedAtMs: () => held.refreshedAtMs(),
    async refresh(context, only) {
      const wanted = known.filter(({ id }) => only === undefined || id === only);
      const asked = wanted.map(({ id, configured, fix }) =>
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
    const lines = changes.map(({ is, id, text }) => `${id}: ${is}, ${text}`);
    return { provider, is: 'refreshed', changes: [...lines, ...notices.map(baseRenderer.notice)] };
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

type FoundModel = Extract<ResolvedModel, { readonly is: 'found' }>;

/** Models that only provider descriptors name. */
function fallbackModels(): readonly Model[] {
  return PROVIDERS.flatMap(({ id, fallbackModels: names = [] }) =>
    names.map((name) => assumeModel(name, id)),
  );
}

interface Listing {
  readonly provider: ProviderId;
  readonly listed: Awaited<ReturnType<NonNullable<Provider['models']>>>;
}

/** Remarks about an available model. */
function unusual(note: string | undefined, missingSince: string | undefined): Reason | undefined {
  if (missingSince !== undefined) return reason('model_unlisted', { since: missingSince });
  return note === undefined ? undefined : reason('text', { text: note });
}

/** Ollama lists models under their full name, while users use the short one. */
function ownNames(name: string): readonly [string, string] {
  return [name, `${name}:latest`];
}

function isSame(model: Model, provider: ProviderId, id: string): boolean {
  return model.provider === provider && model.id === id;
}

function skipped(provider: ProviderId, because: string, fix?: string): RefreshOutcome {
  return { provider, is: 'skipped', changes: [], because, ...(fix !== undefined && { fix }) };
}

/**
 * The model of each role: the first one that the user's lists allow; undefined if they allow none.
 */
export function rolesOfModels(
  catalogue: ModelCatalogue,
  chosen: Config['models'],
  reasonAgainst: (model: ListedModel) => Reason | undefined,
): ReadonlyMap<RoleName, ListedModel> {
  const roles = withRoleModels(chosen);
  return new Map(
    ROLE_NAMES.flatMap((name) => {
      const { models } = resolveRole(catalogue, roles, name);
      const player = models.find((model) => reasonAgainst(model) === undefined);
      return player ? [[name, player] as const] : [];
    }),
  );
}
