import type { ProviderContext } from '#core/llm/provider.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import { asList, asObject } from '../openai-compatible/response/json.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Flavour } from './flavours.ts';

/** Asks a model for one token. Throws unless the answer is one of an OpenAI-compatible server. */
export async function tryModel(
  client: OpenAiClient,
  model: string,
  { title, limitField = 'max_tokens' }: Flavour,
  context: ProviderContext,
): Promise<void> {
  const body = {
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    stream: false,
    [limitField]: 1,
  };
  const path = '/chat/completions';
  const { json } = await client.call(
    { operation: 'chat', method: 'POST', path, body, model },
    context,
  );
  if (asList(asObject(json)?.['choices']).length > 0) return;
  throw new CallError('bad_response', `${title} did not answer as an OpenAI-compatible server.`, {
    model,
    fixes: [fix('use_other_model')],
  });
}
