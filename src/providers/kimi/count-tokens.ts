import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatTool } from '#core/chat.ts';
import type { ProviderContext } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import { asCount, asObject } from '../wire/json-read.ts';
import type { Wire } from '../wire/wire.ts';
import { writeTools } from '../wire/write-messages.ts';
import { writeKimiMessages } from './kimi-messages.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';

/** Kimi counts messages; tools are no part of its question, so ours is an estimate of them. */
export async function countKimiTokens(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  model: Model,
  wire: Wire,
  context: ProviderContext,
): Promise<number> {
  const { json } = await wire.call(
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
