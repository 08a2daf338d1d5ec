import type { Preset } from './preset.ts';

const COMMON = {
  api: 'openai',
  keyEnv: [],
  key: 'optional',
  keyFrom: 'the operator of the server',
  listing: 'models',
  models: [],
  // The emulator plays all four.
  state: 'tested',
} as const;

/** Servers that users run themselves. Their kind, and so their quirks, are detected. */
export const LOCAL_PRESETS = [
  {
    ...COMMON,
    id: 'ollama',
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    source: 'https://github.com/ollama/ollama/blob/main/docs/openai.md',
  },
  {
    ...COMMON,
    id: 'lmstudio',
    title: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    source: 'https://lmstudio.ai/docs/api',
  },
  {
    ...COMMON,
    id: 'vllm',
    title: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  },
  {
    ...COMMON,
    id: 'llamacpp',
    title: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
] as const satisfies readonly Preset[];
