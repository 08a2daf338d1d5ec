import type { TokenUsage } from '#core/chat.ts';
import type { Model, Price } from './model.ts';

export interface Cost {
  /** Whole micro-dollars, rounded up: what is told is never less than what is charged. */
  readonly microUsd: number;
  /** Whether somebody named a price; without one the cost is 0, and unknown. */
  readonly known: boolean;
}

const PER_TOKENS = 1_000_000n;

/** What a call cost: as its vendor says, else by the catalogue's prices. Exact, however many tokens. */
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
  const sum =
    (input - cached) * BigInt(price.input) +
    cached * BigInt(price.cached) +
    count(usage.output) * BigInt(price.output);
  return { microUsd: Number((sum + PER_TOKENS - 1n) / PER_TOKENS), known: true };
}

/** Vendors' counts are hostile, too: what is no count is none. */
function count(tokens: number): bigint {
  return Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.ceil(tokens)) : 0n;
}

/** `$0.95 in, $0.16 cached, $4 out`, for a million tokens; `free`; `unknown`. */
export function formatPrice(price: Price | undefined): string {
  if (!price) return 'unknown';
  const { input, cached, output } = price;
  if (input === 0 && cached === 0 && output === 0) return 'free';
  const parts = [`${dollars(input)} in`, `${dollars(output)} out`];
  if (cached !== input) parts.splice(1, 0, `${dollars(cached)} cached`);
  return parts.join(', ');
}

/** At least two digits after the point when there are any: $0.50, $3, $0.025. */
function dollars(microUsd: number): string {
  const whole = Math.trunc(microUsd / 1_000_000);
  const fraction = String(microUsd % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return fraction === '00' ? `$${whole}` : `$${whole}.${fraction}`;
}
