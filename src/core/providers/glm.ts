import { UNTOUCHED_THINKING } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

const MB = 1024 * 1024;

export const glm = {
  id: 'glm',
  title: 'GLM',
  needs: 'key',
  settings: {
    key: {
      title: 'GLM (Z.ai)',
      about: 'API key of GLM (Z.ai, ZhipuAI).',
      env: ['GLM_API_KEY', 'ZHIPUAI_API_KEY', 'ZAI_API_KEY', 'ZHIPU_API_KEY'],
      from: 'https://z.ai/manage-apikey/apikey-list',
    },
    address: {
      default: 'https://api.z.ai/api/paas/v4',
      about: 'Where GLM is. A key of bigmodel.cn needs https://open.bigmodel.cn/api/paas/v4.',
      env: ['GLM_API_URL', 'ZHIPUAI_API_URL', 'ZAI_BASE_URL'],
    },
  },
  lists: { title: 'GLM', example: 'glm-4.5*' },
  limit: { calls: 4, oldEnv: 'EXAI_WS_GLM_MAX_INFLIGHT' },
  roles: {
    glmSpeed: {
      models: ['glm-4.7-flash', 'glm-4.5-flash', 'glm-5.3-flash'],
      setting: {
        env: 'GLM_SPEED_MODEL',
        about: 'GLM for quick answers; also the manager that classifies unclear requests.',
      },
    },
    glmQuality: {
      models: ['glm-5.3', 'glm-5.2'],
      setting: {
        env: 'GLM_QUALITY_MODEL',
        about: 'GLM for hard questions and for work with tools.',
      },
    },
    vision: {
      models: ['glm-4.6v', 'glm-5.3-flash'],
      title: 'the vision model',
      setting: { env: 'GLM_VISION_MODEL', about: 'The model for pictures and videos.' },
    },
    manager: {
      models: ['glm-4.7-flash', 'glm-4.5-flash'],
      thinking: { mode: 'off' },
      title: "the manager's model",
    },
  },
  uploads: {
    maxBytes: 100 * MB,
    maxFiles: 100,
    parallel: 3,
    purposes: { agent: 'agent', assistants: 'agent', 'file-extract': 'extract', batch: 'batch' },
  },
  web: {
    search: { name: 'glm-web-search', maxMicroUsd: 10_000 },
    read: { name: 'glm-reader', maxMicroUsd: 10_000 },
  },
  unused: [
    {
      endpoint: '/v1/agents',
      because:
        "Its agents run on the vendor's side with the vendor's tools: their steps have no fallback, no cost limit and no audit. kimi_chat_with_tools and chat with tools run the same work here.",
    },
  ],
  openRouterVendor: 'z-ai',
  assumed: {
    contextTokens: 128_000,
    maxOutputTokens: 32_768,
    tools: 'yes',
    toolChoice: 'auto',
    json: 'object',
    thinking: UNTOUCHED_THINKING,
    silence: 'thinks',
    sampling: {
      temperature: { min: 0, max: 1 },
      topP: { min: 0.01, max: 1 },
      penalties: 'fixed',
    },
    maxStops: 1,
  },
  inlineMedia: {
    image: {
      types: ['image/jpeg', 'image/jpg', 'image/png'],
      maxBytes: 5 * MB,
      maxSidePixels: 6_000,
      takes: 'pictures as JPEG or PNG of up to 5 MB and 6000 x 6000 pixels',
      fix: 'Send a JPEG or PNG of up to 5 MB and 6000 x 6000 pixels, or its URL.',
    },
    video: {
      types: ['video/mp4', 'video/x-matroska', 'video/quicktime'],
      maxBytes: 8 * MB,
      takes: 'videos as MP4, MKV or MOV of up to 8 MB',
      fix: 'Send an MP4, MKV or MOV of up to 8 MB, or the URL of one of up to 200 MB.',
    },
    file: {
      types: [],
      maxBytes: 0,
      takes: 'documents only by their URL',
      fix: 'Send the URL of the document, or its text.',
    },
  },
} as const satisfies ProviderDescriptor;
