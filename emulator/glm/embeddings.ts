import { isObject } from '../is-object.ts';
import type { GlmError } from './errors.ts';

const DIMENSIONS: readonly unknown[] = [256, 512, 1_024, 2_048];
const MAX_TEXTS = 64;

export interface GlmEmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly dimensions: number;
}

export function readGlmEmbeddingRequest(
  json: unknown,
): GlmEmbeddingRequest | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  const { model, input } = json;
  if (typeof model !== 'string') return { error: { code: '1213', about: 'model' } };
  if (model !== 'embedding-3' && model !== 'embedding-2') return { error: { code: '1211' } };
  if (input === undefined || input === null || input === '')
    return { error: { code: '1213', about: 'input' } };
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.length > MAX_TEXTS)
    return {
      error: { code: '1214', about: 'input', detail: `1 to ${MAX_TEXTS} texts are allowed.` },
    };
  if (!texts.every((text): text is string => typeof text === 'string' && text !== ''))
    return { error: { code: '1214', about: 'input' } };
  if (model === 'embedding-2') return { model, texts, dimensions: 1_024 };
  const dimensions = json['dimensions'] ?? 2_048;
  if (!DIMENSIONS.includes(dimensions))
    return {
      error: { code: '1214', about: 'dimensions', detail: `Allowed: ${DIMENSIONS.join(', ')}.` },
    };
  return { model, texts, dimensions: dimensions as number };
}
