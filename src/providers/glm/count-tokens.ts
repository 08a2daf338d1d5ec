import { CallError } from '#core/call-error.ts';
import type { JsonObject } from '#core/json.ts';
import type { Provider, ProviderContext } from '#core/provider.ts';
import { assumeModel } from '#models/assume-model.ts';
import { pickModel, type ModelChoice } from '../pick-model.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { asCount, asObject } from '../wire/json-read.ts';
import { askGlm, unusable, type Glm } from './ask-glm.ts';
import { checkMedia } from './media.ts';
import { writeGlmMessages, writeGlmTools } from './write-request.ts';

/** The endpoint knows few models; this one is named by its documents and stands in for the others, whose words are cut alike. */
export const TOKENIZER_MODEL = 'glm-4.6';

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

export async function askTokenizer(
  glm: Glm,
  model: string,
  body: JsonObject,
  context: ProviderContext,
): Promise<number> {
  const answer = await askGlm(
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
  if (counts[0] === undefined && total === undefined) throw unusable('without a count of tokens');
  // The total counts pictures in; where there is none the parts do.
  return total ?? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
