import { FIXED_SAMPLING, NO_THINKING } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

/** Passages of the given texts, quoted without a model or a network. */
export const local = {
  id: 'local',
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
