import type { ProviderDescriptor, ProviderRole } from '#core/providers/descriptor.ts';
import {
  CONFIGURED_PROVIDERS,
  PROVIDERS,
  type ConfiguredProviderId,
  type RoleSetting,
} from '#core/providers/list.ts';
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

/** Settings of one provider beyond its key and its address. */
const OWN = {
  kimi: {
    explicitCache: yesNo
      .default(false)
      .describe('Deprecated, without effect: Kimi has retired the cache API that it turned on.')
      .register(facts, { deprecated: 'Kimi has retired the cache API that it turned on' }),
  },
  openrouter: {
    dataCollection: oneOf(['deny', 'allow'])
      .default('deny')
      .describe(
        'Whether OpenRouter may choose providers that keep what they are sent: deny or allow.',
      )
      .register(facts, {}),
  },
  custom: {
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
      .register(facts, {
        env: key.env,
        secret: 'whole',
        key: { name: id, title: key.title, where: key.from },
      }),
    baseUrl: url
      .default(address.default)
      .describe(address.about)
      .register(facts, { env: address.env, secret: 'password' }),
  };
}

/** Who answers. A provider without a key is simply not asked. */
export const providers = section(
  // The sections follow from the list of providers, whose ids the general type of entries does not keep.
  Object.fromEntries(
    CONFIGURED_PROVIDERS.map(({ id, settings }) => {
      const own = Object.hasOwn(OWN, id) ? OWN[id as keyof typeof OWN] : {};
      return [id, section({ ...common(id, settings), ...own })];
    }),
  ) as unknown as Sections,
);

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

const ALLOWED = 'that may be used; none means all';
const DENIED = 'that may not be used';

/** One list of models for each provider with settings: `models.allow`, `models.deny`. */
function lists(kind: 'ALLOWED' | 'DENIED') {
  const verb = kind === 'ALLOWED' ? ALLOWED : DENIED;
  const pattern = (title: string, example: string, variable: string) =>
    list(modelPattern)
      .default([])
      .describe(`Models of ${title} ${verb}, such as \`${example}\`.`)
      .register(facts, { env: [variable] });
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
      .register(facts, { env: [env] });
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

/** Which model plays which role. Retired names resolve to their successors. */
export const models = section({
  default: modelName
    .default('auto')
    .describe('The model of a request that names none; `auto` lets EX-AI choose.')
    .register(facts, { env: ['DEFAULT_MODEL'] }),
  ...roles(),
  allow: lists('ALLOWED'),
  deny: lists('DENIED'),
});
