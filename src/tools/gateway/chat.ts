import type { AskAnswer, AskListener, AskRequest } from '#core/ask.ts';
import { GATEWAY_OPERATIONS, type GatewayChat, type GatewayChatAnswer } from '#core/gateway.ts';
import type { Tool, ToolContext } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { defineOperation } from './define-operation.ts';
import { meant } from './meant.ts';
import type { ModelMeanings } from './model-meanings.ts';

export interface GatewayChatDeps {
  readonly desk: Pick<ModelDesk, 'resolve'>;
  readonly meanings: ModelMeanings;
  readonly timeoutMs: number;
  /** Whether a quotation will do for clients of the gateway, too, when no model answers. */
  readonly quotes: 'always' | 'as_asked';
}

/** A chat of somebody else's client: as many answers as it wants, and every piece of them told as it comes. */
export function gatewayChat({ desk, meanings, timeoutMs, quotes }: GatewayChatDeps): Tool {
  const isKnown = (name: string) => desk.resolve(name).is === 'found';

  function toRequest({ ask }: GatewayChat): AskRequest {
    const { model, search = 'off' } = ask;
    return {
      ...ask,
      ...(model !== undefined && meant(model, meanings, isKnown)),
      search,
      ...(quotes === 'always' && { lastResort: 'local' }),
    };
  }

  return defineOperation<GatewayChat>({
    name: GATEWAY_OPERATIONS.chat,
    title: 'Gateway: chat',
    description: 'Chats of clients of the OpenAI and Anthropic APIs, at /v1.',
    lane: 'provider',
    timeoutMs,
    wouldAsk: toRequest,
    async run(args, context) {
      const request = withShare(toRequest(args), args.choices);
      const choices = await askAll(request, args.choices, context);
      return { text: '', content: { choices } satisfies GatewayChatAnswer };
    },
  });
}

/** What a caller will pay is for all of it. */
function withShare(request: AskRequest, count: number): AskRequest {
  const { maxCostMicroUsd } = request;
  if (maxCostMicroUsd === undefined || count === 1) return request;
  return { ...request, maxCostMicroUsd: Math.floor(maxCostMicroUsd / count) };
}

/** All end before one of them fails the rest, so that nothing is asked for a call that is over. */
async function askAll(
  request: AskRequest,
  count: number,
  context: ToolContext,
): Promise<readonly AskAnswer[]> {
  // What is told only when it is whole can be asked for anew until then.
  const isHeard = request.delivery !== 'whole';
  const listener = (choice: number) => (isHeard ? telling(choice, context) : {});
  if (count === 1) return [await context.ask(request, listener(0))];
  const asked = await Promise.allSettled(
    Array.from({ length: count }, (_, choice) => context.ask(request, listener(choice))),
  );
  return asked.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

function telling(choice: number, context: ToolContext): AskListener {
  return {
    onAsked: (asked) => context.progress({ piece: { type: 'asked', ...asked }, choice }),
    onText: (text) => context.progress({ piece: { type: 'text', text }, choice }),
    onReasoning: (text) => context.progress({ piece: { type: 'reasoning', text }, choice }),
    onToolCall: (piece) => context.progress({ piece, choice }),
  };
}
