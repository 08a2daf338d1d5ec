import { FIXED_SAMPLING, UNTOUCHED_THINKING } from './assumption.ts';
import type { ProviderDescriptor } from './descriptor.ts';

const MAX_MEDIA_BYTES = 60 * 1024 * 1024;

export const kimi = {
  id: 'kimi',
  title: 'Kimi',
  needs: 'key',
  settings: {
    key: {
      title: 'Kimi (Moonshot)',
      about: 'API key of Kimi (Moonshot).',
      env: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
      from: 'https://platform.moonshot.ai/console/api-keys',
    },
    address: {
      default: 'https://api.moonshot.ai/v1',
      about: 'Where Kimi is. A key of platform.moonshot.cn needs https://api.moonshot.cn/v1.',
      env: ['KIMI_API_URL', 'KIMI_BASE_URL', 'MOONSHOT_API_BASE'],
    },
  },
  lists: { title: 'Kimi', example: 'kimi-k2*' },
  limit: { calls: 6, oldEnv: 'EXAI_WS_KIMI_MAX_INFLIGHT' },
  roles: {
    kimiSpeed: {
      models: ['kimi-k2.6', 'kimi-k3'],
      thinking: { mode: 'off' },
      setting: { env: 'KIMI_SPEED_MODEL', about: 'Kimi for quick answers.' },
    },
    kimiQuality: {
      models: ['kimi-k3', 'kimi-k2.6'],
      setting: { env: 'KIMI_QUALITY_MODEL', about: 'Kimi for hard questions.' },
    },
    kimiDefault: {
      models: ['kimi-k2.6', 'kimi-k3'],
      setting: { env: 'KIMI_DEFAULT_MODEL', about: 'Kimi for everything else.' },
    },
  },
  uploads: {
    maxBytes: 100 * 1024 * 1024,
    maxFiles: 1000,
    parallel: 3,
    documents: 'extracted',
    purposes: {
      'file-extract': 'extract',
      assistants: 'extract',
      image: 'image',
      video: 'video',
      batch: 'batch',
    },
  },
  inlineMedia: {
    image: {
      // The types are those of its documentation, which has no limit of bytes or pixels: a body of
      // 60 MB and 4096 pixels are ours.
      types: ['image/jpeg', 'image/jpg', 'image/png', 'image/webp', 'image/gif'],
      maxBytes: MAX_MEDIA_BYTES,
      bestSidePixels: 4_096,
      takes: 'pictures as PNG, JPEG, WebP or GIF',
      fix: 'Send a PNG, JPEG, WebP or GIF.',
    },
    video: {
      types: [
        'video/mp4',
        'video/mpeg',
        'video/mpg',
        'video/quicktime',
        'video/mov',
        'video/x-msvideo',
        'video/avi',
        'video/x-flv',
        'video/webm',
        'video/x-ms-wmv',
        'video/wmv',
        'video/3gpp',
      ],
      maxBytes: MAX_MEDIA_BYTES,
      takes: 'videos as MP4, MPEG, MOV, AVI, FLV, WebM, WMV or 3GP',
      fix: 'Send an MP4, MPEG, MOV, AVI, FLV, WebM, WMV or 3GP.',
    },
  },
  openRouterVendor: 'moonshotai',
  assumed: {
    contextTokens: 131_072,
    maxOutputTokens: 32_768,
    tools: 'yes',
    toolChoice: 'unless_thinking',
    json: 'schema',
    thinking: UNTOUCHED_THINKING,
    silence: 'thinks',
    sampling: FIXED_SAMPLING,
    maxStops: 5,
    maxStopBytes: 32,
  },
} as const satisfies ProviderDescriptor;
