import type { Model } from '#models/model.ts';
import { mostOutputTokens } from '#models/output-limit.ts';
import { costOf } from '#models/price.ts';

/** Whether a model costs nothing. The user's own server is free, unless it has a price. */
export function isFree({ provider, price }: Pick<Model, 'provider' | 'price'>): boolean {
  if (provider === 'extractive' || (provider === 'custom' && !price)) return true;
  return price !== undefined && price.input === 0 && price.cached === 0 && price.output === 0;
}

/** The maximum cost of one request to a model; undefined when its price is unknown. */
export function maxCostOf(
  model: Model,
  inputTokens: number,
  maxOutputTokens?: number,
): number | undefined {
  if (isFree(model)) return 0;
  const output = mostOutputTokens(maxOutputTokens, model);
  const usage = { input: inputTokens, output, cached: 0, reasoning: 0, estimated: true };
  const { known, microUsd } = costOf(model, usage);
  return known ? microUsd : undefined;
}
