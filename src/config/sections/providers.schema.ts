import { facts } from '../facts.ts';
import { httpUrl, modelName, optionalHttpUrl, line, secretLine } from '../fields.schema.ts';
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
  }),
});

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
});
