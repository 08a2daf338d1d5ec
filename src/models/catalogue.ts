import { notice, type Notice } from '#core/messages/notices.ts';
import { nearest } from '#core/text/text.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/llm/provider.ts';
import type { ModelPlans } from '#core/providers/kimi-plan.ts';
import { assumeModel } from './assume-model.ts';
import { BUILT_IN, VENDORS } from './built-in.ts';
import type { AddedModels, ListedModel, ModelCatalogue } from './listed-model.ts';
import type { ResolvedModel } from './model.ts';
import { isModelName, nameKey } from './model-name.ts';
import { applyOverlay, overlayKey, type Overlay } from './overlay.ts';

interface CatalogueSource {
  /** Providers that are asked at the address of a plan. */
  readonly plans?: ModelPlans;
  readonly builtIn?: readonly ListedModel[];
  /** The models of providers that the user has added. */
  readonly added?: readonly AddedModels[];
}

/**
 * The built-in models of the plans and those of added providers, corrected by the providers'
 * listings.
 */
export function createCatalogue(
  overlay: Overlay = [],
  source: CatalogueSource = {},
): ModelCatalogue {
  const { plans = {}, builtIn: all = BUILT_IN, added = [] } = source;
  const builtIn = all.filter(({ provider, plan }) => plan === plans[provider]);
  const models = inOrder(applyOverlay([...builtIn, ...added.flatMap(namedModels)], overlay));
  const byId = firstBy(models, ({ id }) => [id.toLowerCase()]);
  const byProvider = firstBy(models, ({ provider, id }) => [overlayKey(provider, id)]);
  // An id is never shadowed by an alias of another model.
  const byName = firstBy(models, ({ id }) => [nameKey(id)]);
  for (const [name, model] of firstBy(models, ({ aliases }) => aliases.map(nameKey))) {
    if (!byName.has(name)) byName.set(name, model);
  }

  const named = (name: string) => byId.get(name.toLowerCase()) ?? byName.get(nameKey(name));
  const ofVendor = (name: string) => {
    const { vendor, rest } = vendorOf(name);
    const model = vendor === undefined ? undefined : named(rest);
    return model?.provider === vendor ? model : undefined;
  };
  /** `name/model`: a model of the provider that the user has added by that name. */
  const ofAdded = (name: string) => {
    const slash = name.indexOf('/');
    const before = slash === -1 ? undefined : name.slice(0, slash).toLowerCase();
    const one = added.find(({ provider }) => provider === before);
    const rest = name.slice(slash + 1);
    return one && isModelName(rest) ? { provider: one.provider, rest } : undefined;
  };
  /** `openrouter/vendor/model`: that model at OpenRouter, even if its vendor has it, too. */
  const ofAggregator = (name: string) => {
    const id = routedId(name);
    return id === undefined ? undefined : byProvider.get(overlayKey('openrouter', id));
  };
  /** A listing of an aggregator does not take a model away from the vendor whose prefix it has. */
  const kept = (name: string) => {
    const model = named(name);
    if (model?.provider !== 'openrouter') return model;
    const own = ofVendor(name);
    return own?.state === 'live' ? own : model;
  };
  const find = (id: string, provider?: ProviderId) =>
    provider === undefined ? byId.get(id.toLowerCase()) : byProvider.get(overlayKey(provider, id));

  return {
    models,
    overlay,
    added,
    withOverlay: (other) => createCatalogue(other, source),
    find,
    resolve(given): ResolvedModel {
      const name = typeof given === 'string' ? given.trim() : '';
      if (!isModelName(name)) return { is: 'unknown' };
      const own = ofAdded(name);
      if (own) {
        const listed = find(own.rest, own.provider);
        return { is: 'found', model: listed ?? assumeModel(own.rest, own.provider) };
      }
      const model = ofAggregator(name) ?? kept(name) ?? ofVendor(name);
      if (!model) return unknown(name, models);
      if (model.state === 'live') return { is: 'found', model };
      const heir = liveHeir(model, (id) => find(id, model.provider));
      if (!heir) return unknown(name, models);
      return { is: 'found', model: heir, notice: retirement(name, model, heir) };
    },
  };
}

function namedModels({ provider, models }: AddedModels): readonly ListedModel[] {
  return models.map((facts) => ({
    ...assumeModel(facts.id, provider, facts),
    asOf: asOfOf(facts),
    origin: 'built_in',
  }));
}

/** The day of a preset's facts; a model that the user names has none. */
function asOfOf(facts: object): string {
  return 'asOf' in facts && typeof facts.asOf === 'string' ? facts.asOf : '1970-01-01';
}

function inOrder(models: readonly ListedModel[]): readonly ListedModel[] {
  const ids: readonly string[] = PROVIDER_IDS;
  // Added providers come after the built-in ones.
  const place = (provider: string) => (ids.includes(provider) ? ids.indexOf(provider) : ids.length);
  const rank = ({ state, provider }: ListedModel) =>
    (state === 'live' ? 0 : ids.length + 1) + place(provider);
  return models.toSorted((a, b) => rank(a) - rank(b));
}

/** Index by key; the first wins: live models, then by order of providers. */
function firstBy(
  models: readonly ListedModel[],
  keysOf: (model: ListedModel) => readonly string[],
): Map<string, ListedModel> {
  const map = new Map<string, ListedModel>();
  for (const model of models) {
    for (const key of keysOf(model)) if (!map.has(key)) map.set(key, model);
  }
  return map;
}

/** The live model at the end of the chain of successors, if any. */
function liveHeir(
  model: ListedModel,
  find: (id: string) => ListedModel | undefined,
): ListedModel | undefined {
  const passed = new Set<string>();
  let heir: ListedModel | undefined = model;
  while (heir && heir.state !== 'live' && !passed.has(heir.id)) {
    passed.add(heir.id);
    heir = heir.successor === undefined ? undefined : find(heir.successor);
  }
  return heir?.state === 'live' ? heir : undefined;
}

function retirement(name: string, model: ListedModel, heir: ListedModel): Notice {
  const { id, until, reason } = model;
  return notice('model_retired', {
    model: id,
    ...(nameKey(name) !== nameKey(id) && { name }),
    successor: heir.id,
    ...(until !== undefined && { until }),
    ...(reason !== undefined && { reason }),
  });
}

function unknown(name: string, models: readonly ListedModel[]): ResolvedModel {
  const names = [...models.map(({ id }) => id), ...models.flatMap(({ aliases }) => aliases)];
  const { vendor, rest } = vendorOf(name);
  const found = nearest(vendor === undefined ? name : rest, names);
  return { is: 'unknown', ...(found !== undefined && { nearest: found }) };
}

/** The name at OpenRouter of `openrouter/vendor/model`; undefined for other names. */
export function routedId(name: string): string | undefined {
  return /^openrouter\/(~?[^/\s]+\/\S+)$/i.exec(name.trim())?.[1];
}

/** Splits `vendor/model` into the provider, by its vendor name, and the model. */
function vendorOf(name: string): {
  readonly vendor: ProviderId | undefined;
  readonly rest: string;
} {
  const slash = name.indexOf('/');
  const vendor = slash === -1 ? undefined : VENDORS.get(name.slice(0, slash).toLowerCase());
  return { vendor, rest: name.slice(slash + 1) };
}
