import { embed } from '../glm/embed.ts';
import { isObject } from '../is-object.ts';
import { countTokens } from '../tokens.ts';

const MAX_TEXTS = 2_048;

export interface LocalEmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly encoding: 'float' | 'base64';
}

/** What OpenAI's embeddings ask for; a sentence when it is not that. */
export function readEmbeddings(json: unknown): LocalEmbeddingRequest | string {
  if (!isObject(json)) return 'invalid JSON';
  const { model, input } = json;
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (
    texts.length === 0 ||
    texts.length > MAX_TEXTS ||
    !texts.every((text): text is string => typeof text === 'string' && text !== '')
  )
    return 'invalid input';
  return {
    model: typeof model === 'string' ? model : '',
    texts,
    encoding: json['encoding_format'] === 'base64' ? 'base64' : 'float',
  };
}

export function embeddingsBody(
  { texts, encoding }: LocalEmbeddingRequest,
  model: string,
  dimensions: number,
): object {
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => {
      const vector = embed(text, dimensions);
      const packed =
        encoding === 'base64'
          ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
          : vector;
      return { object: 'embedding', index, embedding: packed };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** The answer of Ollama's own `/api/embed`. */
export function nativeEmbedding(
  { model, texts }: LocalEmbeddingRequest,
  dimensions: number,
): object {
  return {
    model,
    embeddings: texts.map((text) => embed(text, dimensions)),
    total_duration: 10_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: texts.reduce((sum, text) => sum + countTokens(text), 0),
  };
}
