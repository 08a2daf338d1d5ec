import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type {
  PageText,
  Provider,
  ProviderContext,
  ProviderModel,
  ReadPage,
} from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { isUrl } from '#core/net/is-url.ts';
import { glm as glmDescriptor } from '#core/providers/glm.ts';
import { assumeModel } from '#models/assume-model.ts';
import { isModelName } from '#models/model-name.ts';
import type { OpenAiClientOptions } from '../openai-compatible/client-options.ts';
import { createOpenAiClient } from '../openai-compatible/openai-client.ts';
import { asCount, asList, asObject, asText } from '../openai-compatible/response/json.ts';
import { readVector } from '../openai-compatible/response/read-vector.ts';
import { addUsage, readUsage } from '../openai-compatible/response/usage.ts';
import { pickModel, type ModelChoice } from '../pick-model.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { callGlm, glmBadResponse, refuseInput, type Glm } from './call-glm.ts';
import { checkMedia } from './media.ts';
import { writeGlmMessages, writeGlmTools } from './request.ts';
import { isCodingPath } from './site.ts';
import { usageOf } from './web-search.ts';

const DEFAULT_MODEL = 'embedding-3';
const BATCH = 64;
const NO_USAGE: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, estimated: false };

type Embed = NonNullable<Provider['embed']>;

/** Embeds texts: one vector per text, in their order, in batches. */
export async function embedWithGlm(
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
    throw refuseInput('dimensions', 'This is not a valid vector size.', 'Such as 1024.');
  const vectors: Float32Array[] = [];
  let usage: TokenUsage | undefined;
  for (let from = 0; from < texts.length; from += BATCH) {
    const input = texts.slice(from, from + BATCH).map((text) => text.toWellFormed());
    const body = { model, input, ...(dimensions !== undefined && { dimensions }) };
    const call = { operation: 'embed', method: 'POST', path: '/embeddings', body, model } as const;
    const answer = await callGlm(glm, call, context);
    vectors.push(...readVectors(answer['data'], input.length, dimensions));
    usage = addUsage(usage, readUsage(answer['usage']) ?? NO_USAGE);
  }
  if (vectors.some((vector) => vector.length !== vectors[0]?.length))
    throw glmBadResponse('vectors of different sizes');
  return { model, vectors, usage: usage ?? NO_USAGE };
}

/** Sorted by their index, because the order of the response is not guaranteed. */
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
    if (!vector) throw glmBadResponse(`without a usable vector for text ${at + 1} of ${count}`);
    if (dimensions !== undefined && vector.length !== dimensions)
      throw glmBadResponse(
        `with vectors of ${vector.length} numbers, where ${dimensions} were asked for`,
      );
    return vector;
  });
}

/**
 * A model that the tokenizer endpoint documents. It stands in for models that the endpoint does not
 * know, which tokenize alike.
 */
const TOKENIZER_MODEL = 'glm-4.6';

type Count = NonNullable<Provider['countTokens']>;

export async function countTokens(
  glm: Glm,
  { model: name, messages, tools = [] }: Parameters<Count>[0],
  choice: ModelChoice,
  context: ProviderContext,
): Promise<number> {
  const { model } = pickModel(name, 'glm', choice);
  checkMedia(messages);
  const body = {
    messages: writeGlmMessages({ messages }, model),
    ...(tools.length > 0 && { tools: writeGlmTools(tools) }),
  };
  try {
    return await askTokenizer(glm, model.id, body, context);
  } catch (thrown) {
    const isUnknown = thrown instanceof CallError && thrown.class === 'not_found';
    if (!isUnknown || model.id === TOKENIZER_MODEL) throw thrown;
    const standIn =
      choice.catalogue.find(TOKENIZER_MODEL, 'glm') ?? assumeModel(TOKENIZER_MODEL, 'glm');
    refuseForbidden(standIn, choice.forbids);
    return askTokenizer(glm, TOKENIZER_MODEL, body, context);
  }
}

async function askTokenizer(
  glm: Glm,
  model: string,
  body: JsonObject,
  context: ProviderContext,
): Promise<number> {
  const answer = await callGlm(
    glm,
    {
      operation: 'count_tokens',
      method: 'POST',
      path: '/tokenizer',
      body: { model, ...body },
      model,
    },
    context,
  );
  const usage = asObject(answer['usage']);
  const counts = ['prompt_tokens', 'image_tokens', 'video_tokens'].map((name) =>
    asCount(usage?.[name]),
  );
  const total = asCount(usage?.['total_tokens']);
  if (counts[0] === undefined && total === undefined)
    throw glmBadResponse('without a count of tokens');
  // The total includes pictures; without a total the parts are added up.
  return total ?? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const { read: READER } = glmDescriptor.web;

/** At this endpoint: the page does not answer. At others: a network failure of the vendor. */
const UNREACHABLE = '1234';

/** Reads a web page through GLM; this machine does not connect to it. */
export async function readPage(
  glm: Glm,
  { url, format }: ReadPage,
  context: ProviderContext,
): Promise<PageText> {
  if (!isUrl(url) || !/^https?:$/.test(new URL(url).protocol))
    throw refuseInput(
      'url',
      'This is not an http or https URL.',
      'Give the whole address of a page.',
    );
  const body = { url, return_format: format, retain_images: false };
  const call = { operation: 'read', method: 'POST', path: '/reader', body } as const;
  const answer = await callGlm(forPages(glm), call, context);
  const page = asObject(answer['reader_result']);
  const content = page?.['content'];
  if (!page || typeof content !== 'string') throw glmBadResponse('without the text of the page');
  return {
    url: asText(page['url']) ?? url,
    title: asText(page['title']) ?? '',
    description: asText(page['description']) ?? '',
    content,
    used: { model: READER.name, usage: usageOf(READER) },
  };
}

function forPages(glm: Glm): Glm {
  const options: OpenAiClientOptions = {
    ...glm.options,
    classify: (error, model) =>
      error.code === UNREACHABLE
        ? {
            class: 'not_found',
            message:
              'GLM could not open this page: it does not exist, or its host does not answer.',
            fix: 'Look whether the address is right and open to everyone.',
          }
        : glm.options.classify(error, model),
  };
  return { ...glm, options, client: createOpenAiClient(options) };
}

/**
 * Checks the key by counting the tokens of one word, which is free and needs a valid key; the list
 * of models may not.
 */
export async function checkGlm(glm: Glm, context: ProviderContext): Promise<string> {
  const isPlan = isCodingPath(glm.options.baseUrl);
  let proof: 'sure' | 'likely';
  try {
    proof = await proveGlmKey(glm, context);
  } catch (thrown) {
    // The tokenizer is charged to the balance, chats are charged to the plan.
    if (!isPlan || !(thrown instanceof CallError) || thrown.class !== 'billing') throw thrown;
    await proveCodingPlan(glm, context);
    const rest = 'nothing is left on the account for search, files and embeddings';
    return `${glmHostOf(glm)} accepts the key (chats are charged to the Coding Plan; ${rest})`;
  }
  // An endpoint that lists models has accepted the key.
  if (proof === 'likely')
    await callGlm(glm, { operation: 'models', method: 'GET', path: '/models' }, context);
  const charged = isPlan ? 'chats are charged to the Coding Plan' : 'pay as you go';
  return `${glmHostOf(glm)} accepts the key (${charged})`;
}

/**
 * Throws when the key is refused. An answer that there is no such model or endpoint means that the
 * key was most likely accepted.
 */
async function proveGlmKey(glm: Glm, context: ProviderContext): Promise<'sure' | 'likely'> {
  const body = { messages: [{ role: 'user', content: 'hi' }] };
  try {
    await askTokenizer(glm, TOKENIZER_MODEL, body, context);
    return 'sure';
  } catch (thrown) {
    if (!(thrown instanceof CallError) || !IS_OPEN.has(thrown.class)) throw thrown;
    return 'likely';
  }
}

/** A model of every Coding Plan. */
const PLAN_MODEL = 'glm-4.7';

/** A chat of one token at the coding path. A model that the plan does not include proves the key, too. */
async function proveCodingPlan({ client }: Glm, context: ProviderContext): Promise<void> {
  const body = {
    model: PLAN_MODEL,
    messages: [{ role: 'user', content: 'hi' }],
    thinking: { type: 'disabled' },
    max_tokens: 1,
  };
  const call = { operation: 'balance', method: 'POST', path: '/chat/completions', body } as const;
  try {
    await client.call(call, context);
  } catch (thrown) {
    if (!(thrown instanceof CallError) || !NOT_INCLUDED.has(thrown.class)) throw thrown;
  }
}

const NOT_INCLUDED = new Set<string>(['not_configured', 'not_found']);

function glmHostOf({ options: { baseUrl }, site }: Glm): string {
  return isUrl(baseUrl) ? new URL(baseUrl).host : site.host;
}

const IS_OPEN = new Set<string>(['not_found', 'bad_request', 'bad_response']);

/**
 * Lists the models. The endpoint is undocumented; where it is absent an error is thrown, because an
 * empty list would mean something else.
 */
export async function listGlmModels(
  glm: Glm,
  context: ProviderContext,
): Promise<readonly ProviderModel[]> {
  let answer;
  try {
    answer = await callGlm(glm, { operation: 'models', method: 'GET', path: '/models' }, context);
  } catch (thrown) {
    const isAbsent =
      thrown instanceof CallError && ['not_found', 'auth', 'not_configured'].includes(thrown.class);
    // A missing key is reported as such.
    if (!isAbsent || !glm.options.key.isSet) throw thrown;
    if (thrown.class === 'auth') await proveGlmKey(glm, context);
    throw new CallError('not_found', `GLM lists no models at ${glmHostOf(glm)}.`, {
      provider: 'glm',
      fixes: [
        'The models of the catalogue count.',
        fix('list_models'),
        fix('test_key', { provider: 'glm' }),
      ],
      cause: thrown,
    });
  }
  if (!Array.isArray(answer['data'])) throw glmBadResponse('without a list of models');
  return asList(answer['data']).flatMap((each) => {
    const listed = asObject(each);
    const id = asText(listed?.['id']);
    if (!listed || id === undefined) return [];
    const contextTokens = asCount(listed['context_length'] ?? listed['context_window']);
    return [{ id, ...(contextTokens && { contextTokens }) }];
  });
}
