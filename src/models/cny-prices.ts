import file from './cny-prices.json' with { type: 'json' };
import type { ListedModel } from './listed-model.ts';
import type { Price, PriceTier } from './model.ts';

/** Yuan for a million tokens, from this many tokens of input on. */
interface CnyTier {
  readonly fromInput: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const MODELS: Readonly<Record<string, readonly CnyTier[]>> = file.models;
const MICRO_USD = 1_000_000;

/** Rounded up, so that a cost is never too low. */
const toMicroUsd = (yuan: number) => Math.ceil((yuan * MICRO_USD) / file.rate.cnyPerUsd);

/**
 * The models with the prices of bigmodel.cn, which charges yuan, for some models by the length of
 * the input. A fixed rate converts them, so they are estimates. Free models stay free; a model that
 * is not in our table keeps the price of z.ai as an estimate.
 */
export function withCnyPrices(models: readonly ListedModel[]): readonly ListedModel[] {
  return models.map((model) => {
    const { price } = model;
    if (model.provider !== 'glm' || !price || price.output === 0) return model;
    return { ...model, price: priceOf(MODELS[model.id]) ?? { ...price, isEstimate: true } };
  });
}

function priceOf(tiers: readonly CnyTier[] | undefined): Price | undefined {
  const [first, ...more] = (tiers ?? []).map(({ fromInput, input, cached, output }): PriceTier => ({
    fromInput,
    input: toMicroUsd(input),
    cached: toMicroUsd(cached),
    output: toMicroUsd(output),
  }));
  if (!first) return undefined;
  const { input, cached, output } = first;
  return { input, cached, output, ...(more.length > 0 && { tiers: more }), isEstimate: true };
}
