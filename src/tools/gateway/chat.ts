import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { AskAnswer, AskListener, AskRequest } from '#core/llm/ask.ts';
import { GATEWAY_OPERATIONS, type GatewayChat, type GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { ModelAlias } from '#core/llm/stream-part.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { defineOperation } from './define-operation.ts';
import { readDocuments, withUnreadDocuments, type ChatDocumentsDeps } from './chat-documents.ts';
import { resolveModelName, type ModelAliases } from './model-aliases.ts';
import { toolResultsOf } from './tool-results.ts';

export interface GatewayChatDeps extends ChatDocumentsDeps {
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'resolve'>;
  readonly aliases: ModelAliases;
  readonly timeoutMs: number;
  /** `always`: clients of the gateway get an extractive fallback, too, when no model answers. */
  readonly quotes: 'always' | 'as_asked';
  /** Absent: they are not scanned. */
  readonly checkSentTexts?: CheckSentTexts;
}

/**
 * Runs a chat for the gateway: as many choices as requested, with every stream part emitted as it
 * arrives.
 */
export function gatewayChat(deps: GatewayChatDeps): Tool {
  const { modelDirectory, aliases, timeoutMs, quotes } = deps;
  function toRequest({ ask }: GatewayChat): AskRequest {
    const { model, search = 'off' } = ask;
    return {
      ...ask,
      ...(model !== undefined && resolveModelName(model, aliases, modelDirectory)),
      search,
      ...(quotes === 'always' && { lastResort: 'local' }),
    };
  }

  return defineOperation<GatewayChat>({
    name: GATEWAY_OPERATIONS.chat,
    title: 'Gateway: chat',
    description: 'Chats of clients of the OpenAI and Anthropic APIs, at /v1.',
    pool: 'provider',
    timeoutMs,
    previewAsk: (args) => withUnreadDocuments(toRequest(args)),
    async run(args, context) {
      const asked = toRequest(args);
      const found = (await deps.checkSentTexts?.(toolResultsOf(asked.messages))) ?? [];
      const read = await readDocuments(asked, deps, context);
      const notices = [...found, ...read.notices];
      const request = withShare(read.request, args.choices);
      const alias = aliasOf(request);
      const choices = await askAll(request, args.choices, context, alias);
      const content = { choices, ...alias } satisfies GatewayChatAnswer;
      return { text: '', content, ...(notices.length > 0 && { notices }) };
    },
  });
}

/** What the name of the client means, for the answer. */
function aliasOf({ namedAs, model = 'auto' }: AskRequest): { readonly alias?: ModelAlias } {
  return namedAs === undefined ? {} : { alias: { name: namedAs, model } };
}

/** The limits of a request cover all of its choices. */
function withShare(request: AskRequest, count: number): AskRequest {
  const { maxCostMicroUsd } = request;
  if (count === 1) return request;
  return {
    ...request,
    choices: { count },
    ...(maxCostMicroUsd !== undefined && {
      maxCostMicroUsd: Math.floor(maxCostMicroUsd / count),
    }),
  };
}

/** Waits for all choices before failing, so that no request outlives its call. */
async function askAll(
  request: AskRequest,
  count: number,
  context: ToolContext,
  alias: { readonly alias?: ModelAlias },
): Promise<readonly AskAnswer[]> {
  // An answer that is not streamed can be retried from the start until it is complete.
  const isStreamed = request.delivery !== 'whole';
  const listener = (choice: number) => (isStreamed ? emitParts(choice, context, alias) : {});
  if (count === 1) return [await context.ask(request, listener(0))];
  const asked = await Promise.allSettled(
    Array.from({ length: count }, (_, choice) => context.ask(request, listener(choice))),
  );
  return asked.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

function emitParts(
  choice: number,
  context: ToolContext,
  alias: { readonly alias?: ModelAlias },
): AskListener {
  return {
    onAsked: (asked) => context.progress({ piece: { type: 'asked', ...asked, ...alias }, choice }),
    onText: (text) => context.progress({ piece: { type: 'text', text }, choice }),
    onReasoning: (text) => context.progress({ piece: { type: 'reasoning', text }, choice }),
    onToolCall: (piece) => context.progress({ piece, choice }),
  };
}
