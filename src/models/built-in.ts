import type { ProviderId } from '#core/llm/provider.ts';
import type { CatalogueData } from './catalogue.schema.ts';
import file from './catalogue.json' with { type: 'json' };
import type { ListedModel } from './listed-model.ts';
import { createNameMatcher } from './model-name.ts';

// A test validates the file, so that starting needs no schema.
const data = file as unknown as CatalogueData;

/** The models of catalogue.json, in the order of the file. */
export const BUILT_IN: readonly ListedModel[] = data.models.map(
  ({ family: name, assumed, ...model }) => {
    const family = data.families[name];
    if (!family) throw new Error(`The catalogue has no family ${name}`);
    return { ...model, ...family, ...(assumed && { isAssumed: true }), origin: 'built_in' };
  },
);

/** Vendor prefixes of model names at aggregators: `moonshotai/kimi-k3`. */
export const VENDORS: ReadonlyMap<string, ProviderId> = new Map(
  Object.entries(data.vendors).flatMap(([provider, names]) =>
    names.map((name) => [name, provider as ProviderId] as const),
  ),
);

/** Embedding models, those recommended by their vendors first. */
export const EMBEDDING_MODELS: readonly { readonly id: string; readonly provider: ProviderId }[] =
  data.others.filter(({ use }) => use === 'embedding');

const others = new Map(data.others.map(({ id, use }) => [id, use]));
const notChat = createNameMatcher(data.notChat);

/** The use of a model that is not for chat; undefined for chat models and unknown ones. */
export function otherUse(id: string): string | undefined {
  return others.get(id.toLowerCase()) ?? (notChat(id) === undefined ? undefined : 'something else');
}
