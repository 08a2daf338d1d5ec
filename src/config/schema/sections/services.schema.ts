import * as z from 'zod';
import { AT_RELOAD, atRestart, settingMeta } from '../setting-meta.ts';
import { line, list, optionalHttpUrl, secretLine, section, wholeNumber } from '../fields.schema.ts';

/** A limit, because each rotation renames all files. */
const MAX_KEPT_FILES = 50;

const VISION_MODES = ['ZAI', 'ZHIPU'] as const;

export const composio = section({
  apiKey: secretLine
    .default('')
    .describe('API key of Composio, whose tools then appear as mcp__composio__….')
    .register(settingMeta, {
      applies: AT_RELOAD,
      env: ['COMPOSIO_API_KEY'],
      secret: 'whole',
      key: {
        name: 'composio',
        title: 'Composio',
        where: 'https://platform.composio.dev',
      },
    }),
  userId: line
    .default('')
    .describe('The Composio user whose connected accounts are used.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['DEFAULT_USER_ID'] }),
  baseUrl: optionalHttpUrl
    .default('https://backend.composio.dev')
    .describe('Where the REST interface of Composio is reached.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['COMPOSIO_BASE_URL'] }),
  toolkits: list(line)
    .default([])
    .describe(
      'Toolkits whose tools are used and listed, such as gmail. Empty: all are used, and those with a connected account are listed.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
});

export const vision = section({
  apiKey: secretLine
    .default('')
    .describe('A key for the zai_vision server alone. Empty: it uses the key of GLM.')
    .register(settingMeta, {
      applies: AT_RELOAD,
      env: ['Z_AI_API_KEY'],
      secret: 'whole',
      key: {
        name: 'vision',
        title: 'Z.ai vision',
        where: 'https://z.ai/manage-apikey/apikey-list',
        unused: true,
      },
    }),
  mode: z
    .enum(VISION_MODES, { error: `must be one of ${VISION_MODES.join(', ')}` })
    .default('ZAI')
    .describe('Whose host the vision key belongs to: ZAI (api.z.ai) or ZHIPU (open.bigmodel.cn).')
    .register(settingMeta, { applies: AT_RELOAD, env: ['Z_AI_MODE'] }),
});

export const edgar = section({
  identity: line
    .default('')
    .describe('Your name and e-mail address, which the SEC wants to see in each request.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['EDGAR_IDENTITY'] }),
});

export const log = section({
  maxBytes: wholeNumber(65_536, 1_073_741_824)
    .default(10_485_760)
    .describe('Size at which a log file is put aside and a new one begun, in bytes.')
    .register(settingMeta, { applies: AT_RELOAD }),
  keepFiles: wholeNumber(1, MAX_KEPT_FILES)
    .default(5)
    .describe('How many files that were put aside are kept of each log.')
    .register(settingMeta, { applies: AT_RELOAD }),
});

/** Where spans are exported; none are unless one of these is set. */
export const tracing = section({
  endpoint: optionalHttpUrl
    .default('')
    .describe('OTLP/HTTP collector, such as http://127.0.0.1:4318; spans go to its /v1/traces.')
    .register(settingMeta, {
      applies: atRestart('tracing'),
      env: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
      secret: 'password',
    }),
  tracesEndpoint: optionalHttpUrl
    .default('')
    .describe('The complete URL for spans, used instead of the endpoint above.')
    .register(settingMeta, {
      applies: atRestart('tracing'),
      env: ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
      secret: 'password',
    }),
  headers: secretLine
    .default('')
    .describe('Headers to send to the collector, as name=value pairs separated by commas.')
    .register(settingMeta, {
      applies: atRestart('tracing'),
      env: ['OTEL_EXPORTER_OTLP_HEADERS'],
      secret: 'whole',
    }),
  logfireToken: secretLine
    .default('')
    .describe('Write token of Pydantic Logfire; it alone turns tracing on.')
    .register(settingMeta, {
      applies: atRestart('tracing'),
      env: ['LOGFIRE_TOKEN'],
      secret: 'whole',
      key: { name: 'logfire', title: 'Logfire', where: 'https://logfire.pydantic.dev' },
    }),
});
