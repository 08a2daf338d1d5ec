import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatTool } from '#core/llm/chat.ts';
import type { Balance, ProviderContext, ProviderModel } from '#core/llm/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import { writeTools } from '../openai-compatible/request/write-messages.ts';
import { asCount, asObject, asText } from '../openai-compatible/response/json.ts';
import type { KimiHost } from './hosts.ts';
import { writeKimiMessages } from './request.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';

export async function readBalance(
  client: OpenAiClient,
  { currency }: KimiHost,
  context: ProviderContext,
): Promise<Balance> {
  const call = { operation: 'balance', method: 'GET', path: '/users/me/balance' } as const;
  const answer = asObject((await client.call(call, context)).json);
  const data = asObject(answer?.['data']) ?? answer;
  const available = Number(data?.['available_balance'] ?? Number.NaN);
  if (!Number.isFinite(available) || answer?.['status'] === false)
    throw new CallError('bad_response', 'Kimi did not tell the balance.', { provider: 'kimi' });
  return { available, currency };
}

export async function readKimiModels(
  client: OpenAiClient,
  context: ProviderContext,
): Promise<readonly ProviderModel[]> {
  const call = { operation: 'models', method: 'GET', path: '/models' } as const;
  const { json } = await client.call(call, context);
  const listed = Array.isArray(json) ? (json as unknown[]) : asObject(json)?.['data'];
  if (!Array.isArray(listed))
    throw new CallError('bad_response', 'Kimi gave no list of models.', { provider: 'kimi' });
  return listed.flatMap((each) => readModel(each) ?? []);
}

function readModel(value: unknown): ProviderModel | undefined {
  const model = asObject(value);
  const id = asText(model?.['id']);
  if (!model || id === undefined) return undefined;
  const contextTokens = asCount(model['context_length']);
  const flag = (name: string) => (typeof model[name] === 'boolean' ? model[name] : undefined);
  const images = flag('supports_image_in');
  const video = flag('supports_video_in');
  const thinking = flag('supports_reasoning');
  return {
    id,
    ...(contextTokens !== undefined && contextTokens > 0 && { contextTokens }),
    ...(images !== undefined && { images }),
    ...(video !== undefined && { video }),
    ...(thinking !== undefined && { thinking }),
  };
}

/**
 * Checks the key by the balance. The coding plan has no balance; there the list of models proves
 * the key, but not that chats are answered.
 */
export async function checkAccount(
  client: OpenAiClient,
  host: KimiHost,
  context: ProviderContext,
): Promise<string> {
  if (host.isCodingPlan) {
    const ids = (await readKimiModels(client, context)).map(({ id }) => id);
    return `coding plan with ${ids.length} models; Kimi may refuse chats, because EX-AI is not on its list of clients`;
  }
  try {
    const { available, currency } = await readBalance(client, host, context);
    const money = `${available.toFixed(2)} ${currency}`;
    return available > 0
      ? `${money} left`
      : `accepted, but the balance is ${money}: top up at ${host.console}`;
  } catch (thrown) {
    if (CallError.from(thrown).class !== 'not_found') throw thrown;
    const models = await readKimiModels(client, context);
    return `${models.length} models`;
  }
}

/**
 * Counts the tokens of messages with Kimi's endpoint. It takes no tools, so these are estimated.
 */
export async function countKimiTokens(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  model: Model,
  client: OpenAiClient,
  context: ProviderContext,
): Promise<number> {
  const { json } = await client.call(
    {
      operation: 'count_tokens',
      method: 'POST',
      path: '/tokenizers/estimate-token-count',
      body: {
        model: model.id,
        messages: writeKimiMessages({ messages }, { mode: 'off', keep: 'tool_turns' }),
      },
      model: model.id,
    },
    context,
  );
  const answer = asObject(json);
  const counted = asCount((asObject(answer?.['data']) ?? answer)?.['total_tokens']);
  if (counted === undefined)
    throw new CallError('bad_response', 'Kimi did not count the tokens.', { provider: 'kimi' });
  if (tools.length === 0) return counted;
  return counted + estimateTokens(JSON.stringify(writeTools(tools, toMoonshotSchema)));
}
