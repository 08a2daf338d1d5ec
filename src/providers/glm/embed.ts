import type { TokenUsage } from '#core/chat.ts';
import type { Provider, ProviderContext } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { isModelName } from '#models/model-name.ts';
import type { ModelChoice } from '../pick-model.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { asList, asObject } from '../wire/json-read.ts';
import { readVector } from '../wire/read-vector.ts';
import { addUsage, readUsage } from '../wire/read-usage.ts';
import { askGlm, refuseInput, unusable, type Glm } from './ask-glm.ts';

const DEFAULT_MODEL = 'embedding-3';
const BATCH = 64;
const NO_USAGE: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, estimated: false };

type Embed = NonNullable<Provider['embed']>;

/** One vector for each text, in their order, by as many requests as it takes. */
export async function embed(
  glm: Glm,
  { model: name = '', texts, dimensions }: Parameters<Embed>[0],
  { catalogue, forbids }: ModelChoice,
  context: ProviderContext,
): ReturnType<Embed> {
  const model = name.trim() || DEFAULT_MODEL;
  if (!isModelName(model))
    throw refuseInput('model', 'This cannot be the name of a model.', `Such as ${DEFAULT_MODEL}.`);
  refuseForbidden(catalogue.find(model, 'glm') ?? assumeModel(model, 'glm'), forbids);
  if (texts.length === 0) throw refuseInput('texts', 'There is no text.', 'Give one at least.');
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty !== -1) throw refuseInput(`texts[${empty}]`, 'This text is empty.', 'Leave it out.');
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions > 0))
    throw refuseInput('dimensions', 'This is no size of a vector.', 'Such as 1024.');
  const vectors: Float32Array[] = [];
  let usage: TokenUsage | undefined;
  for (let from = 0; from < texts.length; from += BATCH) {
    const input = texts.slice(from, from + BATCH).map((text) => text.toWellFormed());
    const body = { model, input, ...(dimensions !== undefined && { dimensions }) };
    const call = { operation: 'embed', method: 'POST', path: '/embeddings', body, model } as const;
    const answer = await askGlm(glm, call, context);
    vectors.push(...readVectors(answer['data'], input.length, dimensions));
    usage = addUsage(usage, readUsage(answer['usage']) ?? NO_USAGE);
  }
  if (vectors.some((vector) => vector.length !== vectors[0]?.length))
    throw unusable('vectors of different sizes');
  return { model, vectors, usage: usage ?? NO_USAGE };
}

/** By their index, since the order of the answer is not promised. */
function readVectors(
  data: unknown,
  count: number,
  dimensions: number | undefined,
): readonly Float32Array[] {
  const placed = new Map<number, Float32Array>();
  for (const [at, each] of asList(data).entries()) {
    const item = asObject(each);
    const index = item?.['index'] ?? at;
    const vector = readVector(item?.['embedding']);
    if (typeof index === 'number' && vector) placed.set(index, vector);
  }
  return Array.from({ length: count }, (_, at) => {
    const vector = placed.get(at);
    if (!vector) throw unusable(`without a usable vector for text ${at + 1} of ${count}`);
    if (dimensions !== undefined && vector.length !== dimensions)
      throw unusable(
        `with vectors of ${vector.length} numbers, where ${dimensions} were asked for`,
      );
    return vector;
  });
}
