import type { ProviderId, ProviderModel } from '#core/provider.ts';
import { soundFacts } from './listing-facts.ts';
import type { Modality, Model, SamplingPolicy, ThinkingPolicy } from './model.ts';

/** What is assumed of a provider's models that nobody described: too little rather than too much. */
interface Assumption {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly tools: Model['tools'];
  readonly toolChoice: Model['toolChoice'];
  readonly json: Model['json'];
  /** For a model that is said to think; of one of which nothing is said, see `silence`. */
  readonly thinking: ThinkingPolicy;
  /** Whether a model of which nothing is said is taken for one that thinks. */
  readonly silence: 'thinks' | 'does_not';
  readonly sampling: SamplingPolicy;
  readonly maxStops: number;
}

/** Nothing to switch, so nothing is sent that could be refused. */
const UNTOUCHED: ThinkingPolicy = { control: 'always', default: 'on', efforts: [], keeps: false };
const NEVER: ThinkingPolicy = { control: 'never', default: 'off', efforts: [], keeps: false };
const OPENAI_SAMPLING: SamplingPolicy = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  penalties: { min: -2, max: 2 },
};
const FIXED: SamplingPolicy = { temperature: 'fixed', topP: 'fixed', penalties: 'fixed' };

const ASSUMED: Readonly<Record<ProviderId, Assumption>> = {
  kimi: {
    contextTokens: 131_072,
    maxOutputTokens: 32_768,
    tools: 'yes',
    toolChoice: 'unless_thinking',
    json: 'schema',
    thinking: UNTOUCHED,
    silence: 'thinks',
    sampling: FIXED,
    maxStops: 5,
  },
  glm: {
    contextTokens: 128_000,
    maxOutputTokens: 32_768,
    tools: 'yes',
    toolChoice: 'auto',
    json: 'object',
    thinking: UNTOUCHED,
    silence: 'thinks',
    sampling: {
      temperature: { min: 0, max: 1 },
      topP: { min: 0.01, max: 1 },
      penalties: 'fixed',
    },
    maxStops: 1,
  },
  // Its server may cut what is longer without a word, and refuse fields that others ignore.
  custom: {
    contextTokens: 8_192,
    maxOutputTokens: 4_096,
    tools: 'yes',
    toolChoice: 'auto',
    json: 'none',
    thinking: UNTOUCHED,
    silence: 'does_not',
    sampling: OPENAI_SAMPLING,
    maxStops: 4,
  },
  openrouter: {
    contextTokens: 32_768,
    maxOutputTokens: 8_192,
    tools: 'yes',
    toolChoice: 'any',
    json: 'object',
    thinking: {
      control: 'switch',
      default: 'on',
      efforts: ['low', 'medium', 'high'],
      keeps: false,
    },
    silence: 'does_not',
    sampling: OPENAI_SAMPLING,
    maxStops: 4,
  },
  local: {
    contextTokens: 1_048_576,
    maxOutputTokens: 8_192,
    tools: 'no',
    toolChoice: 'auto',
    json: 'none',
    thinking: NEVER,
    silence: 'does_not',
    sampling: FIXED,
    maxStops: 0,
  },
};

const MAX_TOOLS = 128;

/** A model that only its provider knows: what the provider says of it, and careful guesses for the rest. */
export function assumeModel(id: string, provider: ProviderId, facts?: ProviderModel): Model {
  const assumed = ASSUMED[provider];
  const known = facts ? soundFacts(facts) : { id };
  const contextTokens = known.contextTokens ?? assumed.contextTokens;
  const thinks = known.thinking ?? assumed.silence === 'thinks';
  return {
    id,
    provider,
    title: id,
    state: 'live',
    aliases: [],
    contextTokens,
    maxOutputTokens: Math.min(contextTokens, known.maxOutputTokens ?? assumed.maxOutputTokens),
    ...(known.price && { price: known.price }),
    input: modalities(known),
    tools: known.tools === false ? 'no' : assumed.tools,
    toolChoice: assumed.toolChoice,
    json: assumed.json,
    thinking: thinks ? assumed.thinking : NEVER,
    sampling: assumed.sampling,
    maxStops: assumed.maxStops,
    maxTools: MAX_TOOLS,
    confidence: known.contextTokens === undefined ? 'low' : 'medium',
  };
}

function modalities({ images, video }: ProviderModel): readonly Modality[] {
  return ['text', ...(images ? (['image'] as const) : []), ...(video ? (['video'] as const) : [])];
}
