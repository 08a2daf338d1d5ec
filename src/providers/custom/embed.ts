import { CallError } from '#core/errors/call-error.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { asList, asObject, type Unknown } from '../openai-compatible/response/json.ts';
import { readVector } from '../openai-compatible/response/read-vector.ts';
import { addUsage, readUsage } from '../openai-compatible/response/usage.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';

type Embed = NonNullable<Provider['embed']>;
type EmbedInput = Parameters<Embed>[0];

/** Local servers hold the whole batch in memory. */
const BATCH = 64;

/** Embeds texts with `POST /embeddings`: one vector per text, in their order, in batches. */
export async function embedWithCustom(
  client: OpenAiClient,
  { model, texts, dimensions }: EmbedInput & { readonly model: string },
  context: ProviderContext,
): ReturnType<Embed> {
  if (texts.length === 0 || texts.some((text) => text.trim() === '')) {
    throw new CallError('validation', 'There is a text without words to embed, or none at all.', {
      field: 'texts',
      fix: 'Leave empty texts out.',
    });
  }
  const vectors: Float32Array[] = [];
  let usage: TokenUsage | undefined;
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH);
    const body = {
      model,
      input: batch.map((text) => text.toWellFormed()),
      ...(dimensions !== undefined && { dimensions }),
    };
    const call = { operation: 'embed', method: 'POST', path: '/embeddings', model, body } as const;
    const answer = asObject((await client.call(call, context)).json);
    vectors.push(...vectorsOf(answer, batch.length, client.title, model));
    usage = addUsage(usage, readUsage(answer?.['usage']) ?? estimated(batch));
  }
  if (vectors.some(({ length }) => length !== vectors[0]?.length))
    throw unusable(`${client.title} gave vectors of different sizes.`, model);
  return { model, vectors, usage: usage ?? estimated([]) };
}

/** Sorted by their index, because the order of a response is not guaranteed. */
function vectorsOf(
  answer: Unknown | undefined,
  count: number,
  title: string,
  model: string,
): readonly Float32Array[] {
  const placed = new Map<unknown, Float32Array | undefined>();
  for (const [place, entry] of asList(answer?.['data']).entries()) {
    const item = asObject(entry);
    const index = typeof item?.['index'] === 'number' ? item['index'] : place;
    placed.set(index, readVector(item?.['embedding']));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = placed.get(index);
    if (!vector) throw unusable(`${title} gave no usable vector for some of the texts.`, model);
    return vector;
  });
}

function unusable(message: string, model: string): CallError {
  return new CallError('bad_response', message, { model });
}

function estimated(texts: readonly string[]): TokenUsage {
  const input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { input, output: 0, cached: 0, reasoning: 0, estimated: true };
}
