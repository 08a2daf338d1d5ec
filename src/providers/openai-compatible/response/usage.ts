import type { TokenUsage } from '#core/llm/chat.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { asCount, asObject } from './json.ts';

/** Reads token usage, wherever the vendor puts it; nothing when there is none. */
export function readUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (!usage) return undefined;
  const input = asCount(usage['prompt_tokens'] ?? usage['input_tokens']);
  const output = asCount(usage['completion_tokens'] ?? usage['output_tokens']);
  const total = asCount(usage['total_tokens']);
  if (input === undefined && output === undefined && total === undefined) return undefined;
  const inputs = input ?? Math.max(0, (total ?? 0) - (output ?? 0));
  const outputs = output ?? Math.max(0, (total ?? 0) - inputs);
  const cached =
    asCount(asObject(usage['prompt_tokens_details'])?.['cached_tokens']) ??
    asCount(usage['cached_tokens']) ??
    0;
  const reasoning =
    asCount(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']) ?? 0;
  const cost = usage['cost'];
  return {
    input: inputs,
    output: outputs,
    cached: Math.min(cached, inputs),
    reasoning: Math.min(reasoning, outputs),
    ...(isCost(cost) && { costMicroUsd: toMicroUsd(cost) }),
    estimated: false,
  };
}

/** Adds the usage of several requests. A cost is known only if all parts have one. */
export function addUsage(a: TokenUsage | undefined, b: TokenUsage): TokenUsage {
  if (!a) return b;
  const cost =
    a.costMicroUsd === undefined || b.costMicroUsd === undefined
      ? undefined
      : a.costMicroUsd + b.costMicroUsd;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    reasoning: a.reasoning + b.reasoning,
    ...(cost !== undefined && { costMicroUsd: cost }),
    estimated: a.estimated || b.estimated,
  };
}

const MAX_COST_USD = 1e6;

function isCost(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_COST_USD;
}
