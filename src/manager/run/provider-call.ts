import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import { checkWebCitations } from '#core/llm/checked-citations.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { createCollector, type ChatOutcome } from '#core/llm/collect-chat.ts';
import { afterDeadline } from '#core/time/deadline.ts';
import type { RefusedContinuation } from '#resilience/continuation/stitcher.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { VendorRequestRecord, Provider, ProviderContext } from '#core/llm/provider.ts';

/** The result of one provider call. */
export interface ProviderCallResult {
  readonly outcome: ChatOutcome;
  readonly elapsedMs: number;
  readonly firstTokenMs: number | undefined;
  /** How the provider was asked; absent where it was no chat. */
  readonly delivery?: ChatRequest['delivery'];
  /** HTTP exchanges with the vendor; one call may need several. */
  readonly exchanges: readonly VendorRequestRecord[];
  /**
   * `anchor_only`: a continuation that is the anchor and nothing else: the model says that nothing is
   * missing. Otherwise: why nothing of the continuation is used.
   */
  readonly continuation?: 'anchor_only' | RefusedContinuation;
}

export interface ProviderCallOptions {
  readonly provider: Provider;
  readonly request: ChatRequest;
  readonly context: Omit<ProviderContext, 'onVendorRequest'>;
  readonly clock: Clock;
  /** Redacts provider hosts from error messages. */
  readonly redactHosts?: (text: string) => string;
  /** `stop`: the answer is complete, and the rest of the stream is not needed. */
  onEvent?(event: ChatEvent): 'stop' | undefined;
}

/** A provider that ignores signal and deadline is abandoned after this. */
const GRACE_MS = 1000;

/** Calls a provider once. Never throws: errors are in the outcome, with the partial answer. */
export function callProvider(options: ProviderCallOptions): Promise<ProviderCallResult> {
  const { provider, request, clock, context } = options;
  const startedAt = clock.monotonic();
  const exchanges: VendorRequestRecord[] = [];
  const collector = createCollector();
  const target = { provider: provider.id, model: request.model };
  let firstTokenMs: number | undefined;
  let isOver = false;

  function over(outcome: ChatOutcome): ProviderCallResult {
    isOver = true;
    const { delivery } = request;
    return { outcome, elapsedMs: clock.monotonic() - startedAt, firstTokenMs, delivery, exchanges };
  }
  function failed(error: CallError): ProviderCallResult {
    const redactedError = redacted(asProviderError(error, context.signal), options.redactHosts);
    return over({ is: 'failed', answer: collector.answer(), error: redactedError });
  }

  async function readStream(): Promise<ProviderCallResult> {
    const onVendorRequest = (exchange: VendorRequestRecord) => void exchanges.push(exchange);
    try {
      const answered = provider.chat(request, { ...context, onVendorRequest });
      for await (const event of request.webSearch ? checkWebCitations(answered) : answered) {
        if (isOver) break;
        if (isToken(event)) firstTokenMs ??= clock.monotonic() - startedAt;
        collector.add(event);
        if (options.onEvent?.(event) === 'stop') {
          return over({ is: 'answered', answer: collector.answer(), finish: 'stop' });
        }
      }
    } catch (thrown) {
      return failed(CallError.from(thrown, target));
    }
    const finish = collector.finish();
    const answer = collector.answer();
    if (!finish) {
      const message = 'The answer ended without saying that it was over.';
      return failed(new CallError('interrupted', message, target));
    }
    // A caller's limit that went into thinking leaves an empty answer, which is not a failure.
    const isCut = finish.reason === 'length' && request.maxOutputTokens !== undefined;
    if (answer.text === '' && answer.toolCalls.length === 0 && !isCut) {
      return failed(new CallError('empty_response', 'The answer is empty.', target));
    }
    const { reason, stopText } = finish;
    return over({
      is: 'answered',
      answer,
      finish: reason,
      ...(stopText !== undefined && { stopText }),
    });
  }

  return new Promise<ProviderCallResult>((resolve, reject) => {
    const guard = startWatchdog(context, clock, () =>
      end(failed(new CallError('timeout', 'It did not stop in time.', target))),
    );
    function end(call: ProviderCallResult): void {
      guard.dispose();
      resolve(call);
    }
    readStream().then(end, reject);
  });
}

/** A watchdog that calls `late` when the provider ignores its deadline or signal. */
function startWatchdog(
  { deadline, signal }: Pick<ProviderContext, 'deadline' | 'signal'>,
  clock: Clock,
  late: () => void,
): { dispose(): void } {
  let timer: Timer;
  const onAbort = () => {
    timer.stop();
    timer = clock.after(GRACE_MS, late);
  };
  timer = afterDeadline(deadline, clock, GRACE_MS, late);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    dispose() {
      timer.stop();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Whether an event is a part of the answer. */
export function isToken({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'reasoning' || type === 'tool_call';
}

/** Turns a cancellation that the caller did not request into a network error. */
function asProviderError(error: CallError, signal: AbortSignalLike): CallError {
  if (error.class !== 'cancelled' || signal.aborted) return error;
  return new CallError('network', 'The provider cancelled the answer.', {
    ...(error.provider !== undefined && { provider: error.provider }),
    ...(error.model !== undefined && { model: error.model }),
    cause: error,
  });
}

function redacted(error: CallError, redactHosts: ProviderCallOptions['redactHosts']): CallError {
  const message = redactHosts?.(error.message) ?? error.message;
  if (message === error.message) return error;
  return new CallError(error.class, message, { ...error.facts(), cause: error.cause });
}
