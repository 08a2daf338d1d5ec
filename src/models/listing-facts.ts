import type { ProviderModel } from '#core/provider.ts';
import type { Price } from './model.ts';

/** More than any model has, so that a slip of a provider's list does no harm. */
const MAX_TOKENS = 100_000_000;
const MAX_MICRO_USD = 1_000_000_000_000;

export type SoundFacts = Omit<ProviderModel, 'price'> & { readonly price?: Price };

/** Of what a provider says about a model, what can be true. */
export function soundFacts(listed: ProviderModel): SoundFacts {
  const { id, contextTokens, maxOutputTokens, images, video, tools, thinking } = listed;
  const price = soundPrice(listed.price);
  return {
    id,
    ...(isCount(contextTokens, 1, MAX_TOKENS) && { contextTokens }),
    ...(isCount(maxOutputTokens, 1, MAX_TOKENS) && { maxOutputTokens }),
    ...(typeof images === 'boolean' && { images }),
    ...(typeof video === 'boolean' && { video }),
    ...(typeof tools === 'boolean' && { tools }),
    ...(typeof thinking === 'boolean' && { thinking }),
    ...(price && { price }),
  };
}

function soundPrice(price: ProviderModel['price']): Price | undefined {
  if (!price || !isMoney(price.input) || !isMoney(price.output)) return undefined;
  const { input, output, cached } = price;
  return { input, cached: isMoney(cached) ? Math.min(cached, input) : input, output };
}

function isMoney(value: unknown): value is number {
  return isCount(value, 0, MAX_MICRO_USD);
}

function isCount(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
