import { toAddedProviderId } from '#core/providers/added.ts';
import { findPreset } from '#core/providers/presets/presets.ts';
import { createAdded } from '#providers/added/added.ts';
import { createCustom } from '#providers/custom/custom.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { createKimi } from '#providers/kimi/kimi.ts';
import { createOpenRouter } from '#providers/openrouter/openrouter.ts';
import type { ProviderSubject } from './provider-under-test.ts';

export const KIMI: ProviderSubject = {
  name: 'kimi',
  vendor: 'kimi',
  path: '/kimi/v1',
  model: 'kimi-k2.6',
  key: 'sk-cases-0123456789-kimi',
  wrongKey: 'sk-wrong-0123456789-kimi',
  hasIds: true,
  can: [
    'web_search',
    'prefix',
    'upload',
    'file_content',
    'list_files',
    'delete_file',
    'count_tokens',
    'models',
    'balance',
    'ocr',
  ],
  thinking: {
    off: 'obeyed',
    effort: { model: 'kimi-k3', sent: { reasoning_effort: 'low' } },
    back: 'reasoning_content',
  },
  // Every live model of this vendor reads pictures.
  pictures: { seeing: 'kimi-k2.6' },
  leadEvents: 3,
  retired: { model: 'kimi-k2-0905-preview', successor: 'kimi-k3' },
  otherHost: { key: 'sk-cn-0123456789-abcdefgh', url: 'https://api.moonshot.cn/v1' },
  create: (settings, deps) => createKimi(settings, deps),
};

const GLM_ABILITIES = [
  'web_search',
  'upload',
  'ocr',
  'list_files',
  'delete_file',
  'embed',
  'count_tokens',
  'models',
  'search',
  'read',
  'async_chat',
] as const;

export const GLM: ProviderSubject = {
  name: 'glm',
  vendor: 'glm',
  path: '/glm/api/paas/v4',
  model: 'glm-4.6',
  key: 'cases0123456789.secret-glm-0123',
  wrongKey: 'wrong0123456789.secret-glm-0123',
  hasIds: true,
  can: GLM_ABILITIES,
  thinking: {
    off: 'obeyed',
    effort: { model: 'glm-5.3', sent: { reasoning_effort: 'low' } },
    back: 'reasoning_content',
  },
  pictures: { seeing: 'glm-4.6v', blind: 'glm-4.6' },
  leadEvents: 2,
  retired: { model: 'glm-4.5v', successor: 'glm-4.6v' },
  otherHost: { key: 'other0123456789.secret-glm', url: 'https://open.bigmodel.cn/api/paas/v4' },
  create: (settings, deps) => createGlm(settings, deps),
};

/** The other shop of the same vendor, which extracts texts from files. */
export const BIGMODEL: ProviderSubject = {
  ...GLM,
  name: 'glm at bigmodel',
  can: [...GLM_ABILITIES, 'file_content'],
  switches: { host: 'bigmodel' },
  otherHost: { key: 'other0123456789.secret-glm', url: 'https://api.z.ai/api/paas/v4' },
  create: (settings, deps) => createGlm({ ...settings, site: 'bigmodel' }, deps),
};

export const OPENROUTER: ProviderSubject = {
  name: 'openrouter',
  vendor: 'openrouter',
  path: '/openrouter/api/v1',
  model: 'z-ai/glm-5.3',
  key: 'sk-or-cases-0123456789-rout',
  wrongKey: 'sk-or-wrong-0123456789-rout',
  hasIds: true,
  can: ['web_search', 'search', 'models', 'balance'],
  thinking: {
    off: 'obeyed',
    effort: { model: 'z-ai/glm-5.3', sent: { reasoning: { effort: 'low' } } },
    back: 'reasoning_details',
  },
  pictures: { seeing: 'moonshotai/kimi-k2.6', blind: 'z-ai/glm-5.3' },
  leadEvents: 2,
  // What is left is told only of keys with a limit of their own.
  switches: { limit: 1_000 },
  create: (settings, deps) => createOpenRouter(settings, deps),
};

const AT_HOME = {
  key: 'home-key-0123456789-abcd',
  wrongKey: 'home-key-wrong-012345678',
  keyless: true,
  hasIds: false,
  can: ['embed', 'models'],
  create: (settings, deps) => createCustom(settings, deps),
} as const satisfies Partial<ProviderSubject>;

export const OLLAMA: ProviderSubject = {
  ...AT_HOME,
  name: 'custom (Ollama)',
  vendor: 'ollama',
  path: '/ollama/v1',
  model: 'qwen3:8b',
  thinking: {
    off: 'obeyed',
    effort: { model: 'qwen3:8b', sent: { reasoning_effort: 'low' } },
  },
  pictures: { seeing: 'llava:latest' },
  leadEvents: 2,
  slowStart: true,
};

export const VLLM: ProviderSubject = {
  ...AT_HOME,
  name: 'custom (vLLM)',
  vendor: 'vllm',
  path: '/vllm/v1',
  model: 'Qwen/Qwen3-8B',
  thinking: {
    off: 'obeyed',
    effort: { model: 'Qwen/Qwen3-8B', sent: { reasoning_effort: 'low' } },
  },
  pictures: { seeing: 'Qwen/Qwen3-8B' },
  leadEvents: 3,
};

export const LLAMACPP: ProviderSubject = {
  ...AT_HOME,
  name: 'custom (llama.cpp)',
  vendor: 'llamacpp',
  path: '/llamacpp/v1',
  model: 'emulated-8b-q4_k_m.gguf',
  thinking: { off: 'obeyed', back: 'reasoning_content' },
  pictures: {
    seeing: 'emulated-8b-q4_k_m.gguf',
    blind: 'emulated-8b-q4_k_m.gguf',
    switches: { vision: 'on' },
  },
  leadEvents: 3,
};

export const LMSTUDIO: ProviderSubject = {
  ...AT_HOME,
  name: 'custom (LM Studio)',
  vendor: 'lmstudio',
  path: '/lmstudio/v1',
  model: 'qwen3-4b',
  thinking: { off: 'noticed' },
  pictures: { seeing: 'gemma-3-4b-it', blind: 'qwen3-4b' },
  leadEvents: 2,
  slowStart: true,
};

const ANTHROPIC_ID = toAddedProviderId('anthropic');

/** A preset that speaks Anthropic's Messages API. */
export const ANTHROPIC: ProviderSubject = {
  name: 'anthropic',
  vendor: 'anthropic',
  path: '/anthropic/v1',
  model: 'claude-opus-5-5',
  key: 'sk-ant-cases-0123456789-anth',
  wrongKey: 'sk-ant-wrong-0123456789-anth',
  hasIds: true,
  can: ['models'],
  keyHeader: 'x-api-key',
  keyFix: 'exai keys add anthropic',
  unlisted: true,
  thinking: { off: 'noticed' },
  pictures: { seeing: 'claude-opus-5-5' },
  leadEvents: 8,
  create({ baseUrl, key }, deps) {
    const preset = findPreset('anthropic');
    if (!ANTHROPIC_ID || !preset) throw new Error('There is no preset of Anthropic');
    const { title } = preset;
    const settings = {
      id: ANTHROPIC_ID,
      title,
      preset,
      baseUrl,
      key,
      models: [],
      contextTokens: 0,
    };
    return createAdded(settings, deps);
  },
};

/** Every provider that speaks to somebody. */
export const SUBJECTS: readonly ProviderSubject[] = [
  KIMI,
  GLM,
  BIGMODEL,
  OPENROUTER,
  ANTHROPIC,
  OLLAMA,
  VLLM,
  LLAMACPP,
  LMSTUDIO,
];
