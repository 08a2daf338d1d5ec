import { facts } from '../facts.ts';
import {
  httpUrl,
  line,
  list,
  modelName,
  modelPattern,
  oneOf,
  optionalHttpUrl,
  HOUR_MS,
  secretLine,
  wholeNumber,
  yesNo,
} from '../fields.schema.ts';
import { section } from '../section.ts';

/** Who answers. A provider without a key is simply not asked. */
export const providers = section({
  kimi: section({
    apiKey: secretLine
      .default('')
      .describe('API key of Kimi (Moonshot).')
      .register(facts, {
        env: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
        secret: 'whole',
        key: {
          name: 'kimi',
          title: 'Kimi (Moonshot)',
          where: 'https://platform.moonshot.ai/console/api-keys',
        },
      }),
    baseUrl: httpUrl
      .default('https://api.moonshot.ai/v1')
      .describe('Where Kimi is. A key of platform.moonshot.cn needs https://api.moonshot.cn/v1.')
      .register(facts, { env: ['KIMI_API_URL'], secret: 'password' }),
    explicitCache: yesNo
      .default(false)
      .describe('Use the cache API that Kimi has retired, for the moonshot-v1 models that had it.')
      .register(facts, {}),
  }),
  glm: section({
    apiKey: secretLine
      .default('')
      .describe('API key of GLM (Z.ai, ZhipuAI).')
      .register(facts, {
        env: ['GLM_API_KEY', 'ZHIPUAI_API_KEY', 'ZAI_API_KEY'],
        secret: 'whole',
        key: { name: 'glm', title: 'GLM (Z.ai)', where: 'https://z.ai/manage-apikey/apikey-list' },
      }),
    baseUrl: httpUrl
      .default('https://api.z.ai/api/paas/v4')
      .describe('Where GLM is. A key of bigmodel.cn needs https://open.bigmodel.cn/api/paas/v4.')
      .register(facts, { env: ['GLM_API_URL', 'ZHIPUAI_API_URL'], secret: 'password' }),
  }),
  openrouter: section({
    apiKey: secretLine
      .default('')
      .describe('API key of OpenRouter.')
      .register(facts, {
        env: ['OPENROUTER_API_KEY'],
        secret: 'whole',
        key: {
          name: 'openrouter',
          title: 'OpenRouter',
          where: 'https://openrouter.ai/settings/keys',
        },
      }),
    baseUrl: httpUrl
      .default('https://openrouter.ai/api/v1')
      .describe('Where OpenRouter is.')
      .register(facts, { env: ['OPENROUTER_API_URL'], secret: 'password' }),
    dataCollection: oneOf(['deny', 'allow'])
      .default('deny')
      .describe(
        'Whether OpenRouter may choose providers that keep what they are sent: deny or allow.',
      )
      .register(facts, {}),
  }),
  custom: section({
    apiKey: secretLine
      .default('')
      .describe('API key of your own OpenAI-compatible server, if it asks for one.')
      .register(facts, {
        env: ['CUSTOM_API_KEY'],
        secret: 'whole',
        key: {
          name: 'custom',
          title: 'Your own server',
          where: 'whoever runs the server at CUSTOM_API_URL',
        },
      }),
    baseUrl: optionalHttpUrl
      .default('')
      .describe(
        'Where your OpenAI-compatible server is, such as http://127.0.0.1:11434/v1 for Ollama.',
      )
      .register(facts, { env: ['CUSTOM_API_URL'], secret: 'password' }),
    model: line
      .default('')
      .describe('The model to ask your own server for.')
      .register(facts, { env: ['CUSTOM_MODEL'] }),
    embeddingModel: line
      .default('')
      .describe('The model to ask your own server for when it makes embeddings.')
      .register(facts, {}),
    contextTokens: wholeNumber(0, 100_000_000)
      .default(0)
      .describe(
        'The window of its models, in tokens, where the server does not tell; 0 is unknown.',
      )
      .register(facts, {}),
    discover: yesNo
      .default(false)
      .describe(
        'Without an address, look for Ollama, vLLM, llama.cpp and LM Studio on their usual ports of this machine.',
      )
      .register(facts, { env: ['CUSTOM_DISCOVER'] }),
  }),
});

/** How long a provider may be silent. The deadline of the call stands above both. */
export const patience = section({
  firstTokenMs: wholeNumber(100, HOUR_MS)
    .default(60_000)
    .describe('How long the first word of a streamed answer may take, in milliseconds.')
    .register(facts, {}),
  idleMs: wholeNumber(100, HOUR_MS)
    .default(30_000)
    .describe('How long a streamed answer may pause once it has begun, in milliseconds.')
    .register(facts, {}),
});

const patterns = (title: string, example: string, verb: string, variable: string) =>
  list(modelPattern)
    .default([])
    .describe(`Models of ${title} ${verb}, such as \`${example}\`.`)
    .register(facts, { env: [variable] });

const ALLOWED = 'that may be used; none means all';
const DENIED = 'that may not be used';

/** Which model plays which role. Retired names resolve to their successors. */
export const models = section({
  default: modelName
    .default('auto')
    .describe('The model of a request that names none; `auto` lets EX-AI choose.')
    .register(facts, { env: ['DEFAULT_MODEL'] }),
  kimiSpeed: modelName
    .default('kimi-k2.6')
    .describe('Kimi for quick answers.')
    .register(facts, { env: ['KIMI_SPEED_MODEL'] }),
  kimiQuality: modelName
    .default('kimi-k3')
    .describe('Kimi for hard questions.')
    .register(facts, { env: ['KIMI_QUALITY_MODEL'] }),
  kimiDefault: modelName
    .default('kimi-k2.6')
    .describe('Kimi for everything else.')
    .register(facts, { env: ['KIMI_DEFAULT_MODEL'] }),
  glmSpeed: modelName
    .default('glm-4.7-flash')
    .describe('GLM for quick answers; also the manager that classifies unclear requests.')
    .register(facts, { env: ['GLM_SPEED_MODEL'] }),
  glmQuality: modelName
    .default('glm-5.3')
    .describe('GLM for hard questions and for work with tools.')
    .register(facts, { env: ['GLM_QUALITY_MODEL'] }),
  vision: modelName
    .default('glm-4.6v')
    .describe('The model for pictures and videos.')
    .register(facts, { env: ['GLM_VISION_MODEL'] }),
  allow: section({
    kimi: patterns('Kimi', 'kimi-k2*', ALLOWED, 'KIMI_ALLOWED_MODELS'),
    glm: patterns('GLM', 'glm-4.5*', ALLOWED, 'GLM_ALLOWED_MODELS'),
    openrouter: patterns('OpenRouter', 'moonshotai/*', ALLOWED, 'OPENROUTER_ALLOWED_MODELS'),
    custom: patterns('your own server', 'qwen*', ALLOWED, 'CUSTOM_ALLOWED_MODELS'),
  }),
  deny: section({
    kimi: patterns('Kimi', 'kimi-k2*', DENIED, 'KIMI_DENIED_MODELS'),
    glm: patterns('GLM', 'glm-4.5*', DENIED, 'GLM_DENIED_MODELS'),
    openrouter: patterns('OpenRouter', 'moonshotai/*', DENIED, 'OPENROUTER_DENIED_MODELS'),
    custom: patterns('your own server', 'qwen*', DENIED, 'CUSTOM_DENIED_MODELS'),
  }),
});
