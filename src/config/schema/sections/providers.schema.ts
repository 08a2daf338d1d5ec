import type { ProviderDescriptor, ProviderRole } from '#core/providers/descriptor.ts';
import {
  CONFIGURED_PROVIDERS,
  PROVIDERS,
  type ConfiguredProviderId,
  type RoleSetting,
} from '#core/providers/list.ts';
import { settingMeta } from '../setting-meta.ts';
import {
  HOUR_MS,
  httpUrl,
  line,
  list,
  modelName,
  modelPattern,
  oneOf,
  optionalHttpUrl,
  secretLine,
  section,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

/** Settings of single providers beyond key and address. */
const OWN = {
  kimi: {
    explicitCache: trueOrFalse
      .default(false)
      .describe('Deprecated, without effect: Kimi has retired the cache API that it turned on.')
      .register(settingMeta, { deprecated: 'Kimi has retired the cache API that it turned on' }),
  },
  openrouter: {
    dataCollection: oneOf(['deny', 'allow'])
      .default('deny')
      .describe(
        'Whether OpenRouter may choose providers that keep what they are sent: deny or allow.',
      )
      .register(settingMeta, {}),
  },
  custom: {
    model: line
      .default('')
      .describe('The model to ask your own server for.')
      .register(settingMeta, { env: ['CUSTOM_MODEL'] }),
    embeddingModel: line
      .default('')
      .describe('The model to ask your own server for when it makes embeddings.')
      .register(settingMeta, {}),
    contextTokens: wholeNumber(0, 100_000_000)
      .default(0)
      .describe(
        'The window of its models, in tokens, where the server does not tell; 0 is unknown.',
      )
      .register(settingMeta, {}),
    discover: trueOrFalse
      .default(false)
      .describe(
        'Without an address, look for Ollama, vLLM, llama.cpp and LM Studio on their usual ports of this machine.',
      )
      .register(settingMeta, { env: ['CUSTOM_DISCOVER'] }),
  },
};

type Own<Id> = Id extends keyof typeof OWN ? (typeof OWN)[Id] : Record<never, never>;
type Shape<Id> = ReturnType<typeof common> & Own<Id>;
type Sections = {
  [Id in ConfiguredProviderId]: ReturnType<typeof section<Shape<Id>>>;
};

/** The key and the address of a provider. */
function common(id: string, { key, address }: NonNullable<ProviderDescriptor['settings']>) {
  const url = address.default === '' ? optionalHttpUrl : httpUrl;
  return {
    apiKey: secretLine
      .default('')
      .describe(key.about)
      .register(settingMeta, {
        env: key.env,
        secret: 'whole',
        key: { name: id, title: key.title, where: key.from },
      }),
    baseUrl: url
      .default(address.default)
      .describe(address.about)
      .register(settingMeta, { env: address.env, secret: 'password' }),
  };
}

/** The providers. One without a key is not used. */
export const providers = section(
  // The sections follow from the list of providers, whose ids the type of `Object.fromEntries` does
  // not keep.
  Object.fromEntries(
    CONFIGURED_PROVIDERS.map(({ id, settings }) => {
      const own = Object.hasOwn(OWN, id) ? OWN[id as keyof typeof OWN] : {};
      return [id, section({ ...common(id, settings), ...own })];
    }),
  ) as unknown as Sections,
);

/** Timeouts of streamed answers. The deadline of the call applies too. */
export const timeouts = section({
  firstTokenMs: wholeNumber(100, HOUR_MS)
    .default(60_000)
    .describe('How long the first word of a streamed answer may take, in milliseconds.')
    .register(settingMeta, {}),
  idleMs: wholeNumber(100, HOUR_MS)
    .default(30_000)
    .describe('How long a streamed answer may pause once it has begun, in milliseconds.')
    .register(settingMeta, {}),
});

const ALLOWED = 'that may be used; none means all';
const DENIED = 'that may not be used';

/** One list of models for each provider with settings: `models.allow`, `models.deny`. */
function lists(kind: 'ALLOWED' | 'DENIED') {
  const verb = kind === 'ALLOWED' ? ALLOWED : DENIED;
  const pattern = (title: string, example: string, variable: string) =>
    list(modelPattern)
      .default([])
      .describe(`Models of ${title} ${verb}, such as \`${example}\`.`)
      .register(settingMeta, { env: [variable] });
  const entries = CONFIGURED_PROVIDERS.flatMap(({ id, lists: models }) =>
    models
      ? [[id, pattern(models.title, models.example, `${id.toUpperCase()}_${kind}_MODELS`)]]
      : [],
  );
  return section(
    Object.fromEntries(entries) as Record<ConfiguredProviderId, ReturnType<typeof pattern>>,
  );
}

/** The model of each role that has a setting. */
function roles() {
  const field = ({ env, about }: NonNullable<ProviderRole['setting']>, first: string) =>
    modelName
      .default(first)
      .describe(about)
      .register(settingMeta, { env: [env] });
  const entries = PROVIDERS.flatMap(({ roles: played = {} }) =>
    Object.entries(played).flatMap(
      ([
        name,
        {
          setting,
          models: [first],
        },
      ]) => (setting ? [[name, field(setting, first)]] : []),
    ),
  );
  return Object.fromEntries(entries) as Record<RoleSetting, ReturnType<typeof field>>;
}

/** The model of each role. Retired names resolve to their successors. */
export const models = section({
  default: modelName
    .default('auto')
    .describe('The model of a request that names none; `auto` lets EX-AI choose.')
    .register(settingMeta, { env: ['DEFAULT_MODEL'] }),
  ...roles(),
  allow: lists('ALLOWED'),
  deny: lists('DENIED'),
});
