import type { ListedModel } from './listed-model.ts';

/**
 * The models with prompts that stay in the vendor's cache for an hour, where that is possible. Every
 * prompt that is not yet there is written to it, at a higher price. The vendor does not say how much
 * of it that is, so the price is an estimate, never too low.
 */
export function withHourCache(models: readonly ListedModel[]): readonly ListedModel[] {
  return models.map((model): ListedModel => {
    const { price } = model;
    if (price?.hourWrite === undefined) return model;
    return {
      ...model,
      cacheTtl: '1h',
      price: { ...price, input: price.hourWrite, isEstimate: true },
    };
  });
}
