import type { ProviderId } from '#core/llm/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';

const catalogue = createCatalogue();

/** A catalogue model, or an assumed one. */
export function createBuiltIn(provider: ProviderId, id: string): Model {
  return catalogue.find(id, provider) ?? assumeModel(id, provider);
}
