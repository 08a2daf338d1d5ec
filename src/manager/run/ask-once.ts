import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import { createCollector, type ChatOutcome } from '#core/collect-chat.ts';
import type { Exchange, Provider, ProviderContext } from '#core/provider.ts';

/** One model, asked once, and how it went. */
export interface Once {
  readonly outcome: ChatOutcome;
  readonly elapsedMs: number;
  readonly firstTokenMs: number | undefined;
  /** One request to us may be several to the vendor. */
  readonly exchanges: readonly Exchange[];
}

export interface OnceOptions {
  readonly provider: Provider;
  readonly request: ChatRequest;
  readonly context: Omit<ProviderContext, 'onExchange'>;
  readonly clock: Clock;
  onEvent?(event: ChatEvent): void;
}

/** Never throws: what went wrong is in the outcome, with what had come by then. */
export async function askOnce(options: OnceOptions): Promise<Once> {
  const { provider, request, clock } = options;
  const startedAt = clock.monotonic();
  const exchanges: Exchange[] = [];
  const collector = createCollector();
  let firstTokenMs: number | undefined;
  const context: ProviderContext = {
    ...options.context,
    onExchange: (exchange) => void exchanges.push(exchange),
  };
  const over = (outcome: ChatOutcome): Once => ({
    outcome,
    elapsedMs: clock.monotonic() - startedAt,
    firstTokenMs,
    exchanges,
  });
  const failed = (error: CallError): Once =>
    over({ is: 'failed', answer: collector.answer(), error });
  const who = { provider: provider.id, model: request.model };
  try {
    for await (const event of provider.chat(request, context)) {
      if (isWord(event)) firstTokenMs ??= clock.monotonic() - startedAt;
      collector.add(event);
      options.onEvent?.(event);
    }
  } catch (thrown) {
    return failed(providersOwn(CallError.from(thrown, who), options.context.signal));
  }
  const finish = collector.finish();
  if (finish) return over({ is: 'answered', answer: collector.answer(), finish });
  return failed(
    new CallError('interrupted', 'The answer ended without saying that it was over.', who),
  );
}

function isWord({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'reasoning' || type === 'tool_call';
}

/** A cancel that our caller did not ask for is the other side hanging up. */
function providersOwn(error: CallError, signal: AbortSignal): CallError {
  if (error.class !== 'cancelled' || signal.aborted) return error;
  return new CallError('network', 'The provider cancelled the answer.', {
    ...(error.provider !== undefined && { provider: error.provider }),
    ...(error.model !== undefined && { model: error.model }),
    cause: error,
  });
}
