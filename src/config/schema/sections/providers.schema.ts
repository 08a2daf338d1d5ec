import * as z from 'zod';
import { USUAL_TIMEOUTS } from '#core/llm/stream-timeouts.ts';
import { ADDED_NAME_RULE, addedNameProblem, PRESET_IDS } from '#core/providers/added.ts';
import type { ProviderDescriptor, ProviderRole } from '#core/providers/descriptor.ts';
import {
  CONFIGURED_PROVIDERS,
  PROVIDERS,
  type ConfiguredProviderId,
  type RoleSetting,
} from '#core/providers/list.ts';
import { AT_RELOAD, settingMeta } from '../setting-meta.ts';
import {
  HOUR_MS,
  httpUrl,
  line,
  list,
  modelName,
  modelPattern,
  oneOf,
  optionalHttpUrl,
  record,
  secretLine,
  section,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

/** Settings of single providers beyond key and address. */
const OWN = {
  kimi: {
    cacheTtl: oneOf(['5m', '1h'])
      .default('5m')
      .describe(
        'How long Kimi keeps prompts in its cache, for models that can: 5m, or 1h at a higher price of input (K3.1 Pro: twice).',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    formulaSearch: trueOrFalse
      .default(false)
      .describe(
        'Whether Kimi searches the web by its Formula tools instead of the search of EX-AI. Kimi charges for them, and they name sources only where their output is not encrypted.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    explicitCache: trueOrFalse
      .default(false)
      .describe('Deprecated, without effect: Kimi has retired the cache API that it turned on.')
      .register(settingMeta, {
        applies: AT_RELOAD,
        deprecated: 'Kimi has retired the cache API that it turned on',
      }),
  },
  openrouter: {
    dataCollection: oneOf(['deny', 'allow'])
      .default('deny')
      .describe(
        'Whether OpenRouter may choose providers that keep what they are sent: deny or allow.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
  },
  custom: {
    model: line
      .default('')
      .describe('The model to ask your own server for.')
      .register(settingMeta, { applies: AT_RELOAD, env: ['CUSTOM_MODEL'] }),
    embeddingModel: line
      .default('')
      .describe('The model to ask your own server for when it makes embeddings.')
      .register(settingMeta, { applies: AT_RELOAD }),
    contextTokens: wholeNumber(0, 100_000_000)
      .default(0)
      .describe(
        'The window of its models, in tokens, where the server does not tell; 0 is unknown.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    discover: trueOrFalse
      .default(false)
      .describe(
        'Without an address, look for Ollama, vLLM, llama.cpp and LM Studio on their usual ports of this machine.',
      )
      .register(settingMeta, { applies: AT_RELOAD, env: ['CUSTOM_DISCOVER'] }),
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
        applies: AT_RELOAD,
        env: key.env,
        secret: 'whole',
        key: { name: id, title: key.title, where: key.from },
      }),
    otherKeys: secretLine
      .default('')
      .describe('Further API keys, separated by commas. Requests are spread over all of its keys.')
      .register(settingMeta, { applies: AT_RELOAD, secret: 'whole' }),
    baseUrl: url
      .default(address.default)
      .describe(address.about)
      .register(settingMeta, { applies: AT_RELOAD, env: address.env, secret: 'password' }),
  };
}

const ADDED_NAME = z
  .string({ error: ADDED_NAME_RULE })
  .refine((name) => addedNameProblem(name) !== 'shape', { error: ADDED_NAME_RULE })
  .refine((name) => addedNameProblem(name) !== 'reserved', {
    error: 'must not be a name that EX-AI uses itself',
  });

/** Providers that the user has added, by `exai providers add` or by hand. */
const added = record(
  {
    preset: oneOf(['', ...PRESET_IDS])
      .default('')
      .describe(
        'The preset it is made from, as `exai providers list` names them; without one, the preset with the name of the section, if there is one.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    baseUrl: optionalHttpUrl
      .default('')
      .describe(
        'Where its OpenAI-compatible API is, such as http://192.168.1.5:8000/v1; without one, the address of its preset.',
      )
      .register(settingMeta, { applies: AT_RELOAD, secret: 'password' }),
    apiKey: secretLine
      .default('')
      .describe('Its API key, if it requires one. Stored by `exai keys add NAME`.')
      .register(settingMeta, { applies: AT_RELOAD, secret: 'whole' }),
    otherKeys: secretLine
      .default('')
      .describe('Further API keys, separated by commas. Requests are spread over all of its keys.')
      .register(settingMeta, { applies: AT_RELOAD, secret: 'whole' }),
    models: list(modelName)
      .default([])
      .describe(
        'The models to use, best first; none means those of its preset, or those that it lists.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    contextTokens: wholeNumber(0, 100_000_000)
      .default(0)
      .describe('The window of its models, in tokens, where it does not tell; 0 is unknown.')
      .register(settingMeta, { applies: AT_RELOAD }),
    maxCalls: wholeNumber(0, 10_000)
      .default(0)
      .describe('How many requests it gets at once; 0 means that only the global limit applies.')
      .register(settingMeta, { applies: AT_RELOAD }),
  },
  ADDED_NAME,
);

/** The providers. One without a key is not used. */
export const providers = section({
  // The sections follow from the list of providers, whose ids the type of `Object.fromEntries` does
  // not keep.
  ...(Object.fromEntries(
    CONFIGURED_PROVIDERS.map(({ id, settings }) => {
      const own = Object.hasOwn(OWN, id) ? OWN[id as keyof typeof OWN] : {};
      return [id, section({ ...common(id, settings), ...own })];
    }),
  ) as unknown as Sections),
  added,
});

/** Timeouts of streamed answers. The deadline of the call applies too. */
export const timeouts = section({
  firstTokenMs: wholeNumber(100, HOUR_MS)
    .default(USUAL_TIMEOUTS.firstTokenMs)
    .describe(
      'How long the first word of a streamed answer may take, in milliseconds. Models that think have longer limits, unless this is changed.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
  idleMs: wholeNumber(100, HOUR_MS)
    .default(USUAL_TIMEOUTS.idleMs)
    .describe(
      'How long a streamed answer may pause once it has begun, in milliseconds. Models that think have longer limits, unless this is changed.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
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
      .register(settingMeta, { applies: AT_RELOAD, env: [variable] });
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
      .register(settingMeta, { applies: AT_RELOAD, env: [env] });
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
    .register(settingMeta, { applies: AT_RELOAD, env: ['DEFAULT_MODEL'] }),
  ...roles(),
  allow: lists('ALLOWED'),
  deny: lists('DENIED'),
});
