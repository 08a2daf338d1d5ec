import type { ProviderModel } from '#core/provider.ts';
import { asCount, asList, asObject, asText, type Unknown } from '../wire/json-read.ts';
import { microUsdPerMillion } from './price.ts';

const MAX_MODELS = 5_000;

/** What `GET /models` says, entry by entry; what is missing or odd in one of them stays unsaid. */
export function readModels(json: unknown): readonly ProviderModel[] {
  return asList(asObject(json)?.['data'])
    .slice(0, MAX_MODELS)
    .map((entry) => readModel(asObject(entry) ?? {}))
    .filter((model) => model !== undefined);
}

function readModel(entry: Unknown): ProviderModel | undefined {
  const id = asText(entry['id']);
  if (id === undefined || id.length > 200) return undefined;
  const best = asObject(entry['top_provider']);
  const contextTokens = asCount(entry['context_length']) ?? asCount(best?.['context_length']);
  const maxOutputTokens = asCount(best?.['max_completion_tokens']);
  const takes = asObject(entry['architecture'])?.['input_modalities'];
  const knows = entry['supported_parameters'];
  const price = readPrice(asObject(entry['pricing']));
  return {
    id,
    ...(contextTokens && { contextTokens }),
    ...(maxOutputTokens && { maxOutputTokens }),
    ...(Array.isArray(takes) && {
      images: takes.includes('image'),
      video: takes.includes('video'),
    }),
    ...(Array.isArray(knows) && {
      tools: knows.includes('tools'),
      thinking: knows.includes('reasoning'),
    }),
    ...(price && { price }),
  };
}

function readPrice(pricing: Unknown | undefined): ProviderModel['price'] | undefined {
  const input = microUsdPerMillion(pricing?.['prompt']);
  const output = microUsdPerMillion(pricing?.['completion']);
  const cached = microUsdPerMillion(pricing?.['input_cache_read']);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cached !== undefined && { cached }) };
}
