import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest, ToolCall } from '#core/chat.ts';
import type { Clock, Timer } from '#core/clock.ts';
import { createCollector, type ChatAnswer, type ChatOutcome } from '#core/collect-chat.ts';
import { afterDeadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Exchange, Provider, ProviderContext } from '#core/provider.ts';
import { areCutOff } from '#core/model-json.ts';

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
  /** Takes out of a message what its reader must not know. */
  readonly conceal?: (text: string) => string;
  onEvent?(event: ChatEvent): void;
}

/** A provider that heeds neither signal nor deadline is left behind after this. */
const GRACE_MS = 1000;

/** Never throws: what went wrong is in the outcome, with what had come by then. */
export function askOnce(options: OnceOptions): Promise<Once> {
  const { provider, request, clock, context } = options;
  const startedAt = clock.monotonic();
  const exchanges: Exchange[] = [];
  const collector = createCollector();
  const who = { provider: provider.id, model: request.model };
  let firstTokenMs: number | undefined;
  let isOver = false;

  function over(outcome: ChatOutcome): Once {
    isOver = true;
    return { outcome, elapsedMs: clock.monotonic() - startedAt, firstTokenMs, exchanges };
  }
  function failed(error: CallError): Once {
    const told = concealed(providersOwn(error, context.signal), options.conceal);
    return over({ is: 'failed', answer: collector.answer(), error: told });
  }

  async function hear(): Promise<Once> {
    const onExchange = (exchange: Exchange) => void exchanges.push(exchange);
    try {
      for await (const event of provider.chat(request, { ...context, onExchange })) {
        if (isOver) break;
        if (isWord(event)) firstTokenMs ??= clock.monotonic() - startedAt;
        collector.add(event);
        options.onEvent?.(event);
      }
    } catch (thrown) {
      return failed(CallError.from(thrown, who));
    }
    const finish = collector.finish();
    const answer = collector.answer();
    if (!finish) {
      const message = 'The answer ended without saying that it was over.';
      return failed(new CallError('interrupted', message, who));
    }
    if (answer.text === '' && answer.toolCalls.length === 0) {
      return failed(new CallError('empty_response', 'The answer is empty.', who));
    }
    const cut = finish === 'length' ? undefined : cutCall(answer);
    if (cut) {
      const message = `The arguments of its call of ${cut.name} are cut off.`;
      return failed(new CallError('bad_response', message, who));
    }
    return over({ is: 'answered', answer, finish });
  }

  return new Promise<Once>((resolve, reject) => {
    const guard = guardAgainstDeaf(context, clock, () =>
      end(failed(new CallError('timeout', 'It did not stop in time.', who))),
    );
    function end(once: Once): void {
      guard.dispose();
      resolve(once);
    }
    hear().then(end, reject);
  });
}

/** A call that says it is finished and is not: half of what was to be done must not be done. */
function cutCall({ toolCalls }: ChatAnswer): ToolCall | undefined {
  return toolCalls.find(({ arguments: text }) => areCutOff(text));
}

/** Calls `late` when whoever was asked should have ended long ago. */
function guardAgainstDeaf(
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

function isWord({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'reasoning' || type === 'tool_call';
}

/** A cancel that our caller did not ask for is the other side hanging up. */
function providersOwn(error: CallError, signal: Cancel): CallError {
  if (error.class !== 'cancelled' || signal.aborted) return error;
  return new CallError('network', 'The provider cancelled the answer.', {
    ...(error.provider !== undefined && { provider: error.provider }),
    ...(error.model !== undefined && { model: error.model }),
    cause: error,
  });
}

function concealed(error: CallError, conceal: OnceOptions['conceal']): CallError {
  const message = conceal?.(error.message) ?? error.message;
  if (message === error.message) return error;
  // Its parameters may hold what the message conceals.
  const { reason: _, ...facts } = error.facts();
  return new CallError(error.class, message, { ...facts, cause: error.cause });
}
