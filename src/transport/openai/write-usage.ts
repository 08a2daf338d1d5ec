import type { Usage } from '#core/envelope.schema.ts';

/** Always there, as clients add these up unasked. */
export function writeUsage(usage: Usage | undefined) {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
