import { OPENAI_COMPATIBLE } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

/** The user's own OpenAI-compatible server. */
export const custom = {
  id: 'custom',
  title: 'Custom server',
  needs: 'address',
  settings: {
    key: {
      title: 'Your own server',
      about: 'API key of your OpenAI-compatible server, if it requires one.',
      env: ['CUSTOM_API_KEY'],
      from: 'the operator of the server at CUSTOM_API_URL',
    },
    address: {
      default: '',
      about:
        'Where your OpenAI-compatible server is, such as http://127.0.0.1:11434/v1 for Ollama.',
      env: ['CUSTOM_API_URL'],
    },
  },
  lists: { title: 'your own server', example: 'qwen*' },
  // Such a server may silently truncate longer texts, and refuse fields that others ignore.
  assumed: { ...OPENAI_COMPATIBLE, contextTokens: 8_192, maxOutputTokens: 4_096, json: 'none' },
} as const satisfies ProviderDescriptor;
