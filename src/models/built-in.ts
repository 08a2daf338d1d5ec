import type { ProviderId } from '#core/provider.ts';
import type { CatalogueData } from './catalogue.schema.ts';
import file from './catalogue.json' with { type: 'json' };
import type { ListedModel } from './listed-model.ts';
import { createNameMatcher } from './name-pattern.ts';

// Its shape is what a test proves, so that no start waits for a schema.
const data = file as unknown as CatalogueData;

/** The models that we ship knowledge of, in the order of the file. */
export const BUILT_IN: readonly ListedModel[] = data.models.map(({ family: name, ...model }) => {
  const family = data.families[name];
  if (!family) throw new Error(`The catalogue has no family ${name}`);
  return { ...model, ...family, origin: 'built_in' };
});

/** How others name a provider before a slash: `moonshotai/kimi-k3`. */
export const VENDORS: ReadonlyMap<string, ProviderId> = new Map(
  Object.entries(data.vendors).flatMap(([provider, names]) =>
    names.map((name) => [name, provider as ProviderId] as const),
  ),
);

/** The models that make vectors, those that their vendors recommend first. */
export const EMBEDDING_MODELS: readonly { readonly id: string; readonly provider: ProviderId }[] =
  data.others.filter(({ use }) => use === 'embedding');

const others = new Map(data.others.map(({ id, use }) => [id, use]));
const notChat = createNameMatcher(data.notChat);

/** What a model that cannot chat is for; nothing for one that can, or that nobody knows. */
export function otherUse(id: string): string | undefined {
  return others.get(id.toLowerCase()) ?? (notChat(id) === undefined ? undefined : 'something else');
}
