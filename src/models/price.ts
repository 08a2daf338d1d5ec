import type { TokenUsage } from '#core/llm/chat.ts';
import type { Model, Price } from './model.ts';

export interface Cost {
  /** Integer micro-dollars, rounded up so that the reported cost is never too low. */
  readonly microUsd: number;
  /** Whether the price is known; otherwise `microUsd` is 0. */
  readonly known: boolean;
  /** Whether the price is an estimate. */
  readonly isEstimate?: true;
}

const PER_TOKENS = 1_000_000n;

/**
 * Cost of a request: as reported by the vendor, else by the catalogue's prices. Exact for any
 * number of tokens.
 */
export function costOf(model: Pick<Model, 'price'>, usage: TokenUsage): Cost {
  const { costMicroUsd } = usage;
  if (costMicroUsd !== undefined && costMicroUsd >= 0 && Number.isFinite(costMicroUsd)) {
    return { microUsd: Math.ceil(costMicroUsd), known: true };
  }
  const { price } = model;
  if (!price) return { microUsd: 0, known: false };
  const input = count(usage.input);
  const asked = count(usage.cached);
  const cached = asked < input ? asked : input;
  const tier = tierOf(price, usage.input);
  const sum =
    (input - cached) * BigInt(tier.input) +
    cached * BigInt(tier.cached) +
    count(usage.output) * BigInt(tier.output);
  return {
    microUsd: Number((sum + PER_TOKENS - 1n) / PER_TOKENS),
    known: true,
    ...(price.isEstimate && { isEstimate: true as const }),
  };
}

function tierOf(price: Price, input: number): Pick<Price, 'input' | 'cached' | 'output'> {
  return price.tiers?.findLast(({ fromInput }) => input >= fromInput) ?? price;
}

/** Counts from vendors are untrusted; invalid ones count as 0. */
function count(tokens: number): bigint {
  return Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.ceil(tokens)) : 0n;
}

/** `$0.95 in, $0.16 cached, $4 out`, for a million tokens; `free`; `unknown`; with remarks. */
export function formatPrice(price: Price | undefined): string {
  if (!price) return 'unknown';
  const { input, cached, output } = price;
  if (input === 0 && cached === 0 && output === 0) return 'free';
  const parts = [`${dollars(input)} in`, `${dollars(output)} out`];
  if (cached !== input) parts.splice(1, 0, `${dollars(cached)} cached`);
  if (price.tiers) parts.push('more for long prompts');
  if (price.isEstimate) parts.push('estimated');
  return parts.join(', ');
}

/** Formats with at least two decimals if there are any: $0.50, $3, $0.025. */
function dollars(microUsd: number): string {
  const whole = Math.trunc(microUsd / 1_000_000);
  const fraction = String(microUsd % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return fraction === '00' ? `$${whole}` : `$${whole}.${fraction}`;
}
