import type { ProviderId } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';

const catalogue = createCatalogue();

/** As the catalogue has it, or as is assumed of what it does not have. */
export function createBuiltIn(provider: ProviderId, id: string): Model {
  return catalogue.find(id, provider) ?? assumeModel(id, provider);
}
