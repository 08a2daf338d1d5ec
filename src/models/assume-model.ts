import type { ProviderId, ProviderModel } from '#core/llm/provider.ts';
import { EFFORTS } from '#core/llm/chat.ts';
import { NO_THINKING } from '#core/providers/assumption.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Modality, Model, Price, ThinkingPolicy } from './model.ts';

const MAX_TOOLS = 128;

/**
 * A model that is not in the catalogue: facts from its provider, and conservative assumptions for
 * the rest.
 */
export function assumeModel(id: string, provider: ProviderId, facts?: ProviderModel): Model {
  const { assumed } = descriptorOf(provider);
  const known = facts ? validListing(facts) : { id };
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
    thinking: thinks ? thinkingOf(assumed.thinking, known) : NO_THINKING,
    sampling: assumed.sampling,
    maxStops: assumed.maxStops,
    ...(assumed.maxStopBytes !== undefined && { maxStopBytes: assumed.maxStopBytes }),
    maxTools: MAX_TOOLS,
    confidence: known.contextTokens === undefined ? 'low' : 'medium',
  };
}

/** A policy with what a listing says about it. */
export function thinkingOf(
  policy: ThinkingPolicy,
  { alwaysThinks, efforts }: Pick<ProviderModel, 'alwaysThinks' | 'efforts'>,
): ThinkingPolicy {
  return {
    ...policy,
    ...(alwaysThinks !== undefined && { control: alwaysThinks ? 'always' : 'switch' }),
    ...(alwaysThinks && { default: 'on' }),
    ...(efforts && { efforts }),
  };
}

function modalities({ images, video }: ProviderModel): readonly Modality[] {
  return ['text', ...(images ? (['image'] as const) : []), ...(video ? (['video'] as const) : [])];
}

/** Above any real model; guards against errors in listings. */
const MAX_TOKENS = 100_000_000;
const MAX_MICRO_USD = 1_000_000_000_000;

export type ValidListing = Omit<ProviderModel, 'price'> & { readonly price?: Price };

/** The plausible facts of a provider's listing. */
export function validListing(listed: ProviderModel): ValidListing {
  const { id, contextTokens, maxOutputTokens, images, video, tools, thinking, alwaysThinks } =
    listed;
  const price = soundPrice(listed.price);
  const efforts = listed.efforts && EFFORTS.filter((effort) => listed.efforts?.includes(effort));
  return {
    id,
    ...(isCount(contextTokens, 1, MAX_TOKENS) && { contextTokens }),
    ...(isCount(maxOutputTokens, 1, MAX_TOKENS) && { maxOutputTokens }),
    ...(typeof images === 'boolean' && { images }),
    ...(typeof video === 'boolean' && { video }),
    ...(typeof tools === 'boolean' && { tools }),
    ...(typeof thinking === 'boolean' && { thinking }),
    ...(typeof alwaysThinks === 'boolean' && { alwaysThinks }),
    ...(efforts && { efforts }),
    ...(price && { price }),
  };
}

function soundPrice(price: ProviderModel['price']): Price | undefined {
  if (!price || !isMoney(price.input) || !isMoney(price.output)) return undefined;
  const { input, output, cached } = price;
  return { input, cached: isMoney(cached) ? Math.min(cached, input) : input, output };
}

function isMoney(value: unknown): value is number {
  return isCount(value, 0, MAX_MICRO_USD);
}

function isCount(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
