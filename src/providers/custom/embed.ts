import { CallError } from '#core/call-error.ts';
import type { TokenUsage } from '#core/chat.ts';
import type { Provider, ProviderContext } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { asList, asObject, type Unknown } from '../wire/json-read.ts';
import { readVector } from '../wire/read-vector.ts';
import { addUsage, readUsage } from '../wire/read-usage.ts';
import type { Wire } from '../wire/wire.ts';

type Embed = NonNullable<Provider['embed']>;
type EmbedInput = Parameters<Embed>[0];

/** Servers at home hold the whole batch in memory. */
const BATCH = 64;

/** `POST /embeddings`, one vector for each text, in their order, by as many requests as it takes. */
export async function embed(
  wire: Wire,
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
    const answer = asObject((await wire.call(call, context)).json);
    vectors.push(...vectorsOf(answer, batch.length, wire.title, model));
    usage = addUsage(usage, readUsage(answer?.['usage']) ?? estimated(batch));
  }
  if (vectors.some(({ length }) => length !== vectors[0]?.length))
    throw unusable(`${wire.title} gave vectors of different sizes.`, model);
  return { model, vectors, usage: usage ?? estimated([]) };
}

/** By their index, since the order of an answer is not promised. */
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
  return new CallError('bad_response', message, { provider: 'custom', model });
}

function estimated(texts: readonly string[]): TokenUsage {
  const input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return { input, output: 0, cached: 0, reasoning: 0, estimated: true };
}
