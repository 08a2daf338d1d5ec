import type { Config } from '#config/config.schema.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Reason } from '#core/messages/reasons.ts';
import type { Ability, ProviderId } from '#core/provider.ts';
import { descriptorOf, PROVIDERS } from '#core/providers/list.ts';
import type { Budgets } from '#manager/budget-words.ts';
import type { Latencies } from '#manager/latencies.ts';
import type { RouteWorld } from '#manager/route-world.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { ListedModel, ModelCatalogue } from '#models/listed-model.ts';
import type { Model, Resolved } from '#models/model.ts';
import { resolveRole, ROLE_NAMES, withRoleModels, type RoleName } from '#models/roles.ts';
import type { Breakers } from '#resilience/breaker-words.ts';

export interface RouteWorldOptions {
  readonly config: Pick<Config, 'models' | 'routing' | 'budget' | 'fallback' | 'providers'>;
  /** As it is now: a refresh may change it. */
  readonly catalogue: () => ModelCatalogue;
  readonly resolve: (name: string) => Resolved;
  readonly obstacle: (model: Model) => { readonly reason: Reason } | undefined;
  readonly abilities: ReadonlyMap<ProviderId, readonly Ability[]>;
  readonly local: Model;
  readonly breakers: Pick<Breakers, 'look'>;
  readonly budgets: Pick<Budgets, 'left'>;
  readonly correction: (provider: ProviderId, model: string) => number;
  readonly latencies: Pick<Latencies, 'firstTokenMs'>;
}

/** The world as the manager sees it at the moment of a request. */
export function createRouteWorld(options: RouteWorldOptions): (principal: string) => RouteWorld {
  const { config, breakers, latencies } = options;
  const roles = withRoleModels(config.models);
  const obstacle = (model: Model) => options.obstacle(model)?.reason;
  const can = (model: Model, ability: Ability) =>
    options.abilities.get(model.provider)?.includes(ability) === true;

  // Looked up once for each catalogue, however many models it has.
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
      fallbacks: fallbackModels(catalogue),
      routed: new WeakMap(),
    };
    return known;
  }

  return (principal) => {
    const { catalogue, roles: played, roleNotices, custom, fallbacks, routed } = knowledge();
    return {
      roles: played,
      roleNotices,
      custom,
      fallbacks,
      openrouter(like) {
        if (!routed.has(like)) routed.set(like, routedModel(like, catalogue));
        const model = routed.get(like);
        return model && obstacle(model) === undefined ? model : undefined;
      },
      local: options.local,
      resolve: (name) => resolveAnywhere(name, options.resolve, obstacle),
      obstacle,
      health: ({ provider, id }) => breakers.look({ provider, model: id }),
      canSearch: (model) => (can(model, 'web_search') ? 'yes' : 'no'),
      firstTokenMs: ({ provider, id }) => latencies.firstTokenMs(provider, id),
      correction: ({ provider, id }) => options.correction(provider, id),
      budget: options.budgets.left(principal),
      whenSpent: config.budget.whenSpent,
      intelligentSelection: config.routing.intelligentSelection ? 'on' : 'off',
      defaultModel: config.models.default,
      localAnswers: config.fallback.local,
    };
  };
}

interface Known {
  readonly catalogue: ModelCatalogue;
  readonly roles: Readonly<Record<RoleName, readonly ListedModel[]>>;
  readonly roleNotices: Readonly<Partial<Record<RoleName, readonly Notice[]>>>;
  readonly custom: readonly Model[];
  readonly fallbacks: ReadonlyMap<ProviderId, readonly Model[]>;
  /** What OpenRouter has in the place of others, as far as it was looked for. */
  readonly routed: WeakMap<Model, Model | undefined>;
}

/** Of each provider at the end of the chains: the models that its list told of, else those of its descriptor. */
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

/** A provider may list thousands; the others are asked only by name. */
const MAX_FALLBACKS = 8;

function routedModel(like: Model, catalogue: ModelCatalogue): Model | undefined {
  const { openRouterVendor: vendor } = descriptorOf(like.provider);
  if (vendor === undefined) return undefined;
  const id = `${vendor}/${like.id}`;
  return catalogue.find(id, 'openrouter') ?? stoodIn(id, like);
}

/** The same model under OpenRouter's name: it can what it can elsewhere, and costs as much until OpenRouter tells. */
function stoodIn(id: string, like: Model): Model {
  const { contextTokens, maxOutputTokens, input, tools, price } = like;
  // What its vendor gives away, OpenRouter may sell.
  const isSold = price !== undefined && price.output > 0;
  const figures = { contextTokens, maxOutputTokens, input, tools, ...(isSold && { price }) };
  return { ...assumeModel(id, 'openrouter'), ...figures };
}

/** A name that no list has may still mean something where lists are never complete. */
function resolveAnywhere(
  name: string,
  resolve: RouteWorldOptions['resolve'],
  obstacle: (model: Model) => Reason | undefined,
): Resolved {
  const resolved = resolve(name);
  if (resolved.is === 'found') return resolved;
  const [, server, own] = /^(custom|local)\/(\S{1,200})$/i.exec(name.trim()) ?? [];
  const model =
    server !== undefined && own !== undefined
      ? assumeModel(own, 'custom')
      : ROUTED_NAME.test(name.trim())
        ? assumeModel(name.trim(), 'openrouter')
        : undefined;
  return model && obstacle(model) === undefined ? { is: 'found', model } : resolved;
}

const ROUTED_NAME = /^~?[\w.-]{1,60}\/[\w.:-]{1,160}$/;

/** Of the user's own server: the one that is set, else those that its list told of, else whichever it takes for its own. */
function ownModels(
  catalogue: ModelCatalogue,
  { model: chosen, contextTokens }: Config['providers']['custom'],
  resolve: RouteWorldOptions['resolve'],
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
