import { notice, type Notice } from '#core/messages/notices.ts';
import { nearest } from '#core/text/text.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/llm/provider.ts';
import { BUILT_IN, VENDORS } from './built-in.ts';
import type { ListedModel, ModelCatalogue } from './listed-model.ts';
import type { ResolvedModel } from './model.ts';
import { isModelName, nameKey } from './model-name.ts';
import { applyOverlay, overlayKey, type Overlay } from './overlay.ts';

/** The built-in models, corrected by the providers' listings. */
export function createCatalogue(overlay: Overlay = []): ModelCatalogue {
  const models = inOrder(applyOverlay(BUILT_IN, overlay));
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
  const find = (id: string, provider?: ProviderId) =>
    provider === undefined ? byId.get(id.toLowerCase()) : byProvider.get(overlayKey(provider, id));

  return {
    models,
    overlay,
    find,
    resolve(given): ResolvedModel {
      const name = typeof given === 'string' ? given.trim() : '';
      if (!isModelName(name)) return { is: 'unknown' };
      const model = named(name) ?? ofVendor(name);
      if (!model) return unknown(name, models);
      if (model.state === 'live') return { is: 'found', model };
      const heir = liveHeir(model, (id) => find(id, model.provider));
      if (!heir) return unknown(name, models);
      return { is: 'found', model: heir, notice: retirement(name, model, heir) };
    },
  };
}

function inOrder(models: readonly ListedModel[]): readonly ListedModel[] {
  const rank = ({ state, provider }: ListedModel) =>
    (state === 'live' ? 0 : PROVIDER_IDS.length) + PROVIDER_IDS.indexOf(provider);
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

/** Splits `vendor/model` into the provider, by its vendor name, and the model. */
function vendorOf(name: string): {
  readonly vendor: ProviderId | undefined;
  readonly rest: string;
} {
  const slash = name.indexOf('/');
  const vendor = slash === -1 ? undefined : VENDORS.get(name.slice(0, slash).toLowerCase());
  return { vendor, rest: name.slice(slash + 1) };
}
