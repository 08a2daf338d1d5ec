import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { GATEWAY_OPERATIONS, type GatewayCount, type GatewayTokens } from '#core/llm/gateway.ts';
import type { Tool } from '#core/tools/tool.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { defineOperation } from './define-operation.ts';
import { readDocuments, type ChatDocumentsDeps } from './chat-documents.ts';
import { resolveModelName, type ModelAliases } from './model-aliases.ts';

/** Documents are read to be counted. */
const TIMEOUT_MS = 60_000;

interface CountTokensDeps extends ChatDocumentsDeps {
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'resolve'>;
  readonly aliases: ModelAliases;
}

/**
 * Estimates the tokens of a prompt without a model, because which model would answer is not known
 * yet.
 */
export function gatewayCountTokens(deps: CountTokensDeps): Tool {
  return defineOperation<GatewayCount>({
    name: GATEWAY_OPERATIONS.countTokens,
    title: 'Gateway: count tokens',
    description: 'Counts the tokens of a prompt for clients of the Anthropic and OpenAI APIs.',
    timeoutMs: TIMEOUT_MS,
    async run({ ask }, context) {
      checkModel(ask.model, deps);
      const { request } = await readDocuments(ask, deps, context);
      return { text: '', content: { tokens: tokensOf(request) } satisfies GatewayTokens };
    },
  });
}

function checkModel(name: string | undefined, { modelDirectory, aliases }: CountTokensDeps): void {
  if (name === undefined) return;
  const { model } = resolveModelName(name, aliases, modelDirectory);
  if (model.trim().toLowerCase() === 'auto' || modelDirectory.resolve(model).is === 'found') return;
  throw new CallError('not_found', `There is no model "${oneLine(name, 80)}".`, {
    field: 'model',
    fixes: [fix('set_argument', { argument: 'model', value: 'auto' }), fix('list_models')],
  });
}

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
