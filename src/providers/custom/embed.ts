import { CallError } from '#core/call-error.ts';
import type { Provider, ProviderContext } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { asList, asObject } from '../wire/json-read.ts';
import { readUsage } from '../wire/read-usage.ts';
import type { Wire } from '../wire/wire.ts';

type Embed = NonNullable<Provider['embed']>;
type EmbedInput = Parameters<Embed>[0];

const MAX_DIMENSIONS = 65_536;

/** `POST /embeddings`, one vector for each text, in their order. */
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
  const { json } = await wire.call(
    {
      operation: 'embed',
      method: 'POST',
      path: '/embeddings',
      model,
      body: {
        model,
        input: texts.map((text) => text.toWellFormed()),
        ...(dimensions !== undefined && { dimensions }),
      },
    },
    context,
  );
  const answer = asObject(json);
  const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
  for (const [place, entry] of asList(answer?.['data']).entries()) {
    const item = asObject(entry);
    const index = typeof item?.['index'] === 'number' ? item['index'] : place;
    if (index in vectors) vectors[index] = vectorOf(item?.['embedding']);
  }
  if (!vectors.every((vector) => vector !== undefined)) {
    throw new CallError('bad_response', `${wire.title} gave no vector for some of the texts.`, {
      provider: 'custom',
      model,
    });
  }
  const counted = readUsage(answer?.['usage']);
  const input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    vectors,
    usage: counted ?? { input, output: 0, cached: 0, reasoning: 0, estimated: true },
  };
}

function vectorOf(value: unknown): Float32Array | undefined {
  const numbers = asList(value);
  if (numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return undefined;
  return numbers.every((each) => typeof each === 'number' && Number.isFinite(each))
    ? Float32Array.from(numbers as readonly number[])
    : undefined;
}
