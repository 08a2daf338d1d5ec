import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { GATEWAY_OPERATIONS, type GatewayCount, type GatewayTokens } from '#core/llm/gateway.ts';
import type { Tool } from '#core/tools/tool.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { defineOperation } from './define-operation.ts';

const TIMEOUT_MS = 10_000;

/**
 * Estimates the tokens of a prompt without a model, because which model would answer is not known
 * yet.
 */
export const gatewayCountTokens: Tool = defineOperation<GatewayCount>({
  name: GATEWAY_OPERATIONS.countTokens,
  title: 'Gateway: count tokens',
  description: 'Counts the tokens of a prompt for clients of the Anthropic API.',
  timeoutMs: TIMEOUT_MS,
  async run({ ask }) {
    return { text: '', content: { tokens: tokensOf(ask) } satisfies GatewayTokens };
  },
});

function tokensOf({
  system = '',
  messages,
  files = [],
  tools,
  responseFormat,
}: AskRequest): number {
  const beside: ChatMessage[] = files.map(({ name, text }) => ({
    role: 'user',
    content: `${name}\n${text}`,
  }));
  if (system.trim() !== '') beside.push({ role: 'system', content: system });
  // A schema is sent like the parameters of a tool.
  const format =
    responseFormat?.type === 'json_schema'
      ? [{ name: responseFormat.name, description: '', parameters: responseFormat.schema }]
      : [];
  return estimateChat(messages, tools) + estimateChat(beside, format) - estimateChat([]);
}
