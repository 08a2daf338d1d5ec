import { FIXED_SAMPLING, NO_THINKING } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

/** The extractive fallback: quotes passages of the input without a model or a network. */
export const extractive = {
  id: 'extractive',
  title: 'Local',
  needs: 'nothing',
  assumed: {
    contextTokens: 1_048_576,
    maxOutputTokens: 8_192,
    tools: 'no',
    toolChoice: 'auto',
    json: 'none',
    thinking: NO_THINKING,
    silence: 'does_not',
    sampling: FIXED_SAMPLING,
    maxStops: 0,
  },
} as const satisfies ProviderDescriptor;

/** Whether a stored or received provider id is this provider; version 0.1 called it `local`. */
export function isExtractive(provider: string | undefined): boolean {
  return provider === extractive.id || provider === 'local';
}
