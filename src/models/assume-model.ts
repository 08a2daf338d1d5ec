import type { ProviderId, ProviderModel } from '#core/provider.ts';
import { NO_THINKING } from '#core/providers/assumption.ts';
import { descriptorOf } from '#core/providers/list.ts';
import { soundFacts } from './listing-facts.ts';
import type { Modality, Model } from './model.ts';

const MAX_TOOLS = 128;

/** A model that only its provider knows: what the provider says of it, and careful guesses for the rest. */
export function assumeModel(id: string, provider: ProviderId, facts?: ProviderModel): Model {
  const { assumed } = descriptorOf(provider);
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
    thinking: thinks ? assumed.thinking : NO_THINKING,
    sampling: assumed.sampling,
    maxStops: assumed.maxStops,
    maxTools: MAX_TOOLS,
    confidence: known.contextTokens === undefined ? 'low' : 'medium',
  };
}

function modalities({ images, video }: ProviderModel): readonly Modality[] {
  return ['text', ...(images ? (['image'] as const) : []), ...(video ? (['video'] as const) : [])];
}
