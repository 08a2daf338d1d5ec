import type { Config } from '#config/schema/config.schema.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Capability, ProviderId } from '#core/llm/provider.ts';
import { descriptorOf, PROVIDERS } from '#core/providers/list.ts';
import type { Budgets } from '#manager/budget/budgets.ts';
import type { Latencies } from '#manager/latencies.ts';
import type { RoutingState } from '#manager/route/routing-state.ts';
import { assumeModel } from '#models/assume-model.ts';
import { routedId } from '#models/catalogue.ts';
import type { ListedModel, ModelCatalogue } from '#models/listed-model.ts';
import type { Model, ResolvedModel } from '#models/model.ts';
import { resolveRole, ROLE_NAMES, withRoleModels, type RoleName } from '#models/roles.ts';
import type { Breakers } from '#resilience/breaker-types.ts';

export interface RoutingStateOptions {
  readonly config: Pick<Config, 'models' | 'routing' | 'budget' | 'fallback' | 'providers'>;
  /** The current catalogue; a refresh may replace it. */
  readonly catalogue: () => ModelCatalogue;
  readonly resolve: (name: string) => ResolvedModel;
  readonly obstacle: (model: Model) => { readonly reason: Reason } | undefined;
  readonly abilities: ReadonlyMap<ProviderId, readonly Capability[]>;
  readonly extractiveModel: Model;
  readonly breakers: Pick<Breakers, 'look'>;
  readonly budgets: Pick<Budgets, 'left'>;
  readonly correction: (provider: ProviderId, model: string) => number;
  readonly latencies: Pick<Latencies, 'firstTokenMs'>;
}

/** Creates the routing state at the time of a request. */
export function createRoutingState(
  options: RoutingStateOptions,
): (principal: string) => RoutingState {
  const { config, breakers, latencies } = options;
  const roles = withRoleModels(config.models);
  const obstacle = (model: Model) => options.obstacle(model)?.reason;
  const can = (model: Model, ability: Capability) =>
    options.abilities.get(model.provider)?.includes(ability) === true;

  // Computed once per catalogue.
  let known: Known | undefined;
  function knowledge(): Known {
    const catalogue = options.catalogue();
    if (known?.catalogue === catalogue) return known;
    const resolved = ROLE_NAMES.map((name) => [name, resolveRole(catalogue, roles, name)] as const);
    known = {
      catalogue,
      roles: Object.fromEntries(resolved.map(([name, { models }]) => [name, models])) as Record<
        RoleName,
        readonly ListedModel[]
      >,
      roleNotices: Object.fromEntries(resolved.map(([name, { notices }]) => [name, notices])),
      custom: ownModels(catalogue, config.providers.custom, options.resolve),
      fallbacks: new Map([...fallbackModels(catalogue), ...addedModels(catalogue)]),
      routed: new WeakMap(),
    };
    return known;
  }

  /** The state of callers without a limit of their spending. */
  function stateOf({ catalogue, roles: played, routed, ...rest }: Known): RoutingState {
    return {
      roles: played,
      roleNotices: rest.roleNotices,
      custom: rest.custom,
      fallbacks: rest.fallbacks,
      openrouter(like) {
        if (!routed.has(like)) routed.set(like, routedModel(like, catalogue));
        const model = routed.get(like);
        return model && obstacle(model) === undefined ? model : undefined;
      },
      openrouterIs: config.providers.openrouter.apiKey === '' ? 'not_configured' : 'configured',
      extractiveModel: options.extractiveModel,
      resolve: (name) => resolveAnywhere(name, options.resolve, obstacle),
      obstacle,
      health: ({ provider, id }) => breakers.look({ provider, model: id }),
      canSearch: (model) => can(model, 'web_search'),
      firstTokenMs: ({ provider, id }) => latencies.firstTokenMs(provider, id),
      correction: ({ provider, id }) => options.correction(provider, id),
      budget: undefined,
      whenSpent: config.budget.whenSpent,
      intelligentSelection: config.routing.intelligentSelection ? 'on' : 'off',
      defaultModel: config.models.default,
      extractiveFallback: config.fallback.extractive,
    };
  }

  return (principal) => {
    const current = knowledge();
    const state = (current.state ??= stateOf(current));
    const budget = options.budgets.left(principal);
    return budget === undefined ? state : { ...state, budget };
  };
}

interface Known {
  readonly catalogue: ModelCatalogue;
  readonly roles: Readonly<Record<RoleName, readonly ListedModel[]>>;
  readonly roleNotices: Readonly<Partial<Record<RoleName, readonly Notice[]>>>;
  readonly custom: readonly Model[];
  readonly fallbacks: ReadonlyMap<ProviderId, readonly Model[]>;
  /** OpenRouter's equivalents of other models, as far as looked up. */
  readonly routed: WeakMap<Model, Model | undefined>;
  state?: RoutingState;
}

/** The fallback models of each provider: those of its model list, else those of its descriptor. */
function fallbackModels(catalogue: ModelCatalogue): ReadonlyMap<ProviderId, readonly Model[]> {
  return new Map(
    PROVIDERS.flatMap(({ id, fallbackModels: named }) => {
      if (!named) return [];
      const known = catalogue.models.filter(
        ({ provider, state }) => provider === id && state === 'live',
      );
      const models = known.length > 0 ? known : named.map((name) => assumeModel(name, id));
      return [[id, models.slice(0, MAX_FALLBACKS)]];
    }),
  );
}

/**
 * The models of each provider that the user has added: those that the settings or its preset name,
 * else those of its list, else the one that its server has.
 */
function addedModels(catalogue: ModelCatalogue): ReadonlyMap<ProviderId, readonly Model[]> {
  return new Map(
    catalogue.added.map(({ provider: id, models: named, unnamed }) => {
      const isListed = ({ missingSince }: ListedModel) => missingSince === undefined;
      const chosen = named.flatMap((model) => catalogue.find(model.id, id) ?? []);
      const listed = catalogue.models.filter(
        (model) => model.provider === id && model.state === 'live' && isListed(model),
      );
      // A model that its provider does not list may be gone.
      const models =
        [chosen.filter(isListed), listed, chosen].find(({ length }) => length > 0) ?? [];
      if (models.length === 0 && unnamed === 'only_model')
        return [id, [assumeModel('default', id)]];
      return [id, models.slice(0, MAX_FALLBACKS)];
    }),
  );
}

/** A provider may list thousands of models; the others are used only by name. */
const MAX_FALLBACKS = 8;

function routedModel(like: Model, catalogue: ModelCatalogue): Model | undefined {
  const { openRouterVendor: vendor } = descriptorOf(like.provider);
  if (vendor === undefined) return undefined;
  const id = `${vendor}/${like.id}`;
  const listed = catalogue.find(id, 'openrouter');
  if (listed) return listed;
  // A list without the name means that OpenRouter does not have it.
  const hasList = catalogue.models.some(({ provider }) => provider === 'openrouter');
  return hasList ? undefined : stoodIn(id, like);
}

/**
 * The same model under OpenRouter's name: it has the same capabilities, and the same price until
 * OpenRouter lists its own.
 */
function stoodIn(id: string, like: Model): Model {
  const { contextTokens, maxOutputTokens, input, tools, price } = like;
  // OpenRouter may charge for a model that is free at its vendor.
  const isSold = price !== undefined && price.output > 0;
  const figures = { contextTokens, maxOutputTokens, input, tools, ...(isSold && { price }) };
  return { ...assumeModel(id, 'openrouter'), ...figures };
}

/** Resolves a name that is in no list, for providers whose lists are never complete. */
function resolveAnywhere(
  name: string,
  resolve: RoutingStateOptions['resolve'],
  obstacle: (model: Model) => Reason | undefined,
): ResolvedModel {
  const resolved = resolve(name);
  if (resolved.is === 'found') return resolved;
  const [, server, own] = /^(custom|local)\/(\S{1,200})$/i.exec(name.trim()) ?? [];
  const routed = routedId(name) ?? name.trim();
  const model =
    server !== undefined && own !== undefined
      ? assumeModel(own, 'custom')
      : ROUTED_NAME.test(routed)
        ? assumeModel(routed, 'openrouter')
        : undefined;
  return model && obstacle(model) === undefined
    ? { is: 'found', model, isOnTrust: true }
    : resolved;
}

const ROUTED_NAME = /^~?[\w.-]{1,60}\/[\w.:-]{1,160}$/;

/**
 * The models of the user's own server: the configured one, else those of its list, else its
 * default.
 */
function ownModels(
  catalogue: ModelCatalogue,
  { model: chosen, contextTokens }: Config['providers']['custom'],
  resolve: RoutingStateOptions['resolve'],
): readonly Model[] {
  const listed = catalogue.models.filter(
    ({ provider, state }) => provider === 'custom' && state === 'live',
  );
  if (chosen === '' && listed.length > 0) return listed;
  const assumed = (id: string) =>
    assumeModel(id, 'custom', { id, ...(contextTokens > 0 && { contextTokens }) });
  const resolved = chosen === '' ? undefined : resolve(chosen);
  if (resolved?.is === 'found' && resolved.model.provider === 'custom') {
    const { id: name } = resolved.model;
    const own = listed.find(({ id }) => id === name) ?? assumed(name);
    return [own, ...listed.filter(({ id }) => id !== name)];
  }
  return [assumed(chosen === '' ? 'default' : chosen)];
}
