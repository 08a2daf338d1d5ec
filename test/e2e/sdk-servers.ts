/** The servers of the emulator, as a client of others is pointed at them. */

export type Step =
  | 'models'
  | 'chat'
  | 'stream'
  | 'streamHelper'
  | 'tools'
  | 'toolStream'
  | 'parallelTools'
  | 'toolThoughts'
  | 'toolThoughtsLost'
  | 'structured'
  | 'jsonMode'
  | 'image'
  | 'files'
  | 'embeddings'
  | 'wrongKey'
  | 'unknownModel'
  | 'rateLimit'
  | 'rateLimitRetried'
  | 'htmlError'
  | 'cutStream'
  | 'splitBytes'
  | 'errorInStream';

export interface SdkServer {
  /** Of the emulator's vendor, and of the server in reports. */
  readonly vendor: string;
  readonly path: string;
  readonly key: string;
  readonly wrongKey?: string;
  readonly model: string;
  readonly visionModel?: string;
  readonly embeddingModel?: string;
  /** Added to each request, where the SDK's caller writes bodies. */
  readonly body?: object;
  /** Turns thinking on. */
  readonly thoughts?: object;
  /** The same two for an SDK whose caller names options. */
  readonly options?: object;
  readonly thoughtOptions?: object;
  /** The status that refuses a model nobody knows. */
  readonly unknownModelStatus: number;
  readonly steps: readonly Step[];
}

const CHAT: readonly Step[] = ['models', 'chat', 'stream', 'streamHelper', 'tools', 'toolStream'];
const TROUBLE: readonly Step[] = ['unknownModel', 'rateLimit', 'htmlError', 'cutStream'];
const NO_THOUGHTS = { thinking: { type: 'disabled' } };
const THOUGHTS = { thinking: { type: 'enabled' } };

export const SDK_SERVERS: readonly SdkServer[] = [
  {
    vendor: 'kimi',
    path: '/kimi/v1',
    key: 'sk-emulated',
    wrongKey: 'sk-wrong-one',
    model: 'kimi-k2.6',
    body: NO_THOUGHTS,
    thoughts: THOUGHTS,
    options: { kimi: NO_THOUGHTS, moonshotai: NO_THOUGHTS },
    thoughtOptions: { kimi: THOUGHTS, moonshotai: THOUGHTS },
    unknownModelStatus: 404,
    steps: [
      ...CHAT,
      'parallelTools',
      'toolThoughts',
      'toolThoughtsLost',
      'structured',
      'image',
      'files',
      'wrongKey',
      ...TROUBLE,
      'rateLimitRetried',
      'splitBytes',
      'errorInStream',
    ],
  },
  {
    vendor: 'glm',
    path: '/glm/api/paas/v4',
    key: 'emulated.secret',
    wrongKey: 'wrong.secret',
    model: 'glm-4.6',
    visionModel: 'glm-4.6v',
    embeddingModel: 'embedding-3',
    body: NO_THOUGHTS,
    options: { glm: NO_THOUGHTS },
    unknownModelStatus: 400,
    steps: [
      ...CHAT,
      'parallelTools',
      'jsonMode',
      'image',
      'embeddings',
      'wrongKey',
      ...TROUBLE,
      'splitBytes',
      'errorInStream',
    ],
  },
  {
    vendor: 'openrouter',
    path: '/openrouter/api/v1',
    key: 'sk-or-emulated',
    wrongKey: 'sk-or-wrong',
    model: 'moonshotai/kimi-k2.6',
    unknownModelStatus: 400,
    steps: [
      ...CHAT,
      'parallelTools',
      'structured',
      'image',
      'wrongKey',
      ...TROUBLE,
      'splitBytes',
      'errorInStream',
    ],
  },
  {
    vendor: 'ollama',
    path: '/ollama/v1',
    key: 'unused',
    model: 'llama3.2',
    visionModel: 'llava',
    embeddingModel: 'nomic-embed-text',
    unknownModelStatus: 404,
    steps: [...CHAT, 'structured', 'image', 'embeddings', 'unknownModel', 'cutStream'],
  },
  {
    vendor: 'vllm',
    path: '/vllm/v1',
    key: 'unused',
    model: 'Qwen/Qwen3-8B',
    unknownModelStatus: 404,
    steps: [...CHAT, 'structured', 'unknownModel', 'cutStream'],
  },
  {
    vendor: 'llamacpp',
    path: '/llamacpp/v1',
    key: 'unused',
    model: 'any-name-will-do',
    unknownModelStatus: 404,
    steps: [...CHAT, 'structured', 'cutStream'],
  },
  {
    vendor: 'lmstudio',
    path: '/lmstudio/v1',
    key: 'unused',
    model: 'qwen3-4b',
    unknownModelStatus: 404,
    steps: [...CHAT, 'structured', 'unknownModel', 'cutStream'],
  },
];
