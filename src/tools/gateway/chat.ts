import type { AskAnswer, AskListener, AskRequest } from '#core/llm/ask.ts';
import { GATEWAY_OPERATIONS, type GatewayChat, type GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { defineOperation } from './define-operation.ts';
import { resolveAlias, type ModelAliases } from './model-aliases.ts';

export interface GatewayChatDeps {
  readonly modelDirectory: Pick<ModelDirectory, 'resolve'>;
  readonly aliases: ModelAliases;
  readonly timeoutMs: number;
  /** `always`: clients of the gateway get an extractive fallback, too, when no model answers. */
  readonly quotes: 'always' | 'as_asked';
}

/**
 * Runs a chat for the gateway: as many choices as requested, with every stream part emitted as it
 * arrives.
 */
export function gatewayChat({ modelDirectory, aliases, timeoutMs, quotes }: GatewayChatDeps): Tool {
  const isKnown = (name: string) => modelDirectory.resolve(name).is === 'found';

  function toRequest({ ask }: GatewayChat): AskRequest {
    const { model, search = 'off' } = ask;
    return {
      ...ask,
      ...(model !== undefined && resolveAlias(model, aliases, isKnown)),
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
    previewAsk: toRequest,
    async run(args, context) {
      const request = withShare(toRequest(args), args.choices);
      const choices = await askAll(request, args.choices, context);
      return { text: '', content: { choices } satisfies GatewayChatAnswer };
    },
  });
}

/** The cost limit of a request covers all of its choices. */
function withShare(request: AskRequest, count: number): AskRequest {
  const { maxCostMicroUsd } = request;
  if (maxCostMicroUsd === undefined || count === 1) return request;
  return { ...request, maxCostMicroUsd: Math.floor(maxCostMicroUsd / count) };
}

/** Waits for all choices before failing, so that no request outlives its call. */
async function askAll(
  request: AskRequest,
  count: number,
  context: ToolContext,
): Promise<readonly AskAnswer[]> {
  // An answer that is not streamed can be retried from the start until it is complete.
  const isStreamed = request.delivery !== 'whole';
  const listener = (choice: number) => (isStreamed ? emitParts(choice, context) : {});
  if (count === 1) return [await context.ask(request, listener(0))];
  const asked = await Promise.allSettled(
    Array.from({ length: count }, (_, choice) => context.ask(request, listener(choice))),
  );
  return asked.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

function emitParts(choice: number, context: ToolContext): AskListener {
  return {
    onAsked: (asked) => context.progress({ piece: { type: 'asked', ...asked }, choice }),
    onText: (text) => context.progress({ piece: { type: 'text', text }, choice }),
    onReasoning: (text) => context.progress({ piece: { type: 'reasoning', text }, choice }),
    onToolCall: (piece) => context.progress({ piece, choice }),
  };
}
