import { OPENAI_COMPATIBLE } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

export const openrouter = {
  id: 'openrouter',
  title: 'OpenRouter',
  needs: 'key',
  settings: {
    key: {
      title: 'OpenRouter',
      about: 'API key of OpenRouter.',
      env: ['OPENROUTER_API_KEY'],
      from: 'https://openrouter.ai/settings/keys',
    },
    address: {
      default: 'https://openrouter.ai/api/v1',
      about: 'Where OpenRouter is.',
      env: ['OPENROUTER_API_URL'],
    },
  },
  lists: { title: 'OpenRouter', example: 'moonshotai/*' },
  // A search is a short chat with this model: ten results, and the tokens around them.
  web: { search: { name: 'z-ai/glm-4.7-flash', maxMicroUsd: 60_000 } },
  assumed: {
    ...OPENAI_COMPATIBLE,
    toolChoice: 'any',
    thinking: {
      control: 'switch',
      default: 'on',
      efforts: ['low', 'medium', 'high'],
      keeps: false,
    },
  },
} as const satisfies ProviderDescriptor;
