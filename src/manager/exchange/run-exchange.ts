import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { ProviderContext, VendorRequestRecord } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import { MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { deadlineIn, earlier, remainingMs } from '#core/time/deadline.ts';
import type { Model } from '#models/model.ts';
import type { Breakers, BreakerPermit } from '#resilience/breaker-types.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import { afterFailure } from '../run/after-failure.ts';
import { askDeadline } from '../run/attempt-limits.ts';
import { toBreakerFailure } from '../run/breaker-failure.ts';
import type { Ledger } from '../run/ledger.ts';
import { noAnswer } from '../run/supply-files.ts';

export interface ExchangeDeps {
  readonly breakers: Pick<Breakers, 'tryAcquire'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Redacts provider hosts from messages for a principal; only the owner sees them. */
  readonly redactHosts: (principal: string) => (text: string) => string;
}

/** A request to a provider beside chats: its files, its search, its reader. */
export interface Exchange<T> {
  /** Its name in attempts and breakers, in the place of a model. */
  readonly target: Model;
  /** What is tried when it fails; absent if nothing is. */
  readonly next?: string;
  work(context: ProviderContext): Promise<T>;
}

const RETRIES = 1;

interface Try<T> {
  readonly result?: { readonly value: T };
  readonly error?: CallError;
  readonly elapsedMs: number;
  readonly exchanges: readonly VendorRequestRecord[];
}

/**
 * Runs an exchange as attempts on its target: through its breaker, with one retry where that is
 * safe, each recorded in the ledger. Rejects with the provider's error.
 */
export async function runExchange<T>(
  exchange: Exchange<T>,
  by: AskContext,
  ledger: Ledger,
  deps: ExchangeDeps,
): Promise<T> {
  const { target: model, next: fallback } = exchange;
  for (let tries = 1; ; tries++) {
    const { result, error, elapsedMs, exchanges } = await tryOnce(exchange, by, deps);
    const afterMs = error && retryDelay(error, tries, exchange, by, exchanges.length, deps);
    if (exchanges.length > 0) {
      const outcome = error
        ? ({ is: 'failed', answer: noAnswer(model.id), error } as const)
        : ({ is: 'answered', answer: noAnswer(model.id), finish: 'stop' } as const);
      const call = { outcome, elapsedMs, firstTokenMs: undefined, exchanges };
      const following = error ? fallback : undefined;
      const next = afterMs === undefined ? following : `${model.provider}/${model.id}`;
      ledger.attempted({ model, call, error, next });
    }
    if (result) return result.value;
    if (afterMs === undefined) throw error ?? new CallError('internal', 'No result.');
    await sleepWhole(deps.clock, afterMs, by.signal);
  }
}

async function tryOnce<T>(
  exchange: Exchange<T>,
  by: AskContext,
  deps: ExchangeDeps,
): Promise<Try<T>> {
  const { clock } = deps;
  const permit = acquire(exchange, deps);
  const exchanges: VendorRequestRecord[] = [];
  const startedAt = clock.monotonic();
  const context: ProviderContext = {
    signal: by.signal,
    // A job has more time than a silent provider should have.
    deadline: earlier(askDeadline(by.deadline, clock), deadlineIn(clock, MODEL_TOOL_TIMEOUT_MS)),
    onVendorRequest: (record) => void exchanges.push(record),
  };
  try {
    const value = await exchange.work(context);
    if (exchanges.length > 0) permit.success();
    return { result: { value }, elapsedMs: clock.monotonic() - startedAt, exchanges };
  } catch (thrown) {
    const error = redacted(CallError.from(thrown), by, deps);
    const { principal } = by.caller;
    // A file or page that a provider does not know says nothing about the provider.
    const isOfContent = error.class === 'not_found' || by.signal.aborted;
    if (!isOfContent) permit.failure(toBreakerFailure(error, { principal }));
    return { error, elapsedMs: clock.monotonic() - startedAt, exchanges };
  } finally {
    // No effect if a result was reported.
    permit.cancel();
  }
}

function acquire<T>(
  { target, next }: Exchange<T>,
  { breakers }: Pick<ExchangeDeps, 'breakers'>,
): BreakerPermit {
  const { provider, id: model } = target;
  const usual = breakers.tryAcquire({ provider, model });
  // Where nothing else is left, a call is forced through an open breaker if it may be.
  const isForced = usual.is === 'refused' && usual.isForcible && next === undefined;
  const acquired = isForced ? breakers.tryAcquire({ provider, model }, 'forced') : usual;
  if (acquired.is === 'granted') return acquired.permit;
  const { reason, retryInMs: retryAfterMs } = acquired;
  const fixes = breakerFixes([reason], retryAfterMs);
  throw codedError('breaker_open', reason, { provider, model, retryAfterMs, fixes });
}

function redacted(error: CallError, { caller }: AskContext, deps: ExchangeDeps): CallError {
  const message = deps.redactHosts(caller.principal)(error.message);
  if (message === error.message) return error;
  return new CallError(error.class, message, { ...error.facts(), cause: error });
}

/** The delay before another try; undefined if there is none. */
function retryDelay<T>(
  error: CallError,
  tries: number,
  { next }: Exchange<T>,
  by: AskContext,
  sent: number,
  { clock, random }: ExchangeDeps,
): number | undefined {
  if (tries > RETRIES || by.signal.aborted || error.retry === 'never') return undefined;
  const step = afterFailure({
    error,
    tries,
    hasShrunk: true,
    hasFallback: next !== undefined,
    hasOtherQueue: false,
    vendorResponded: sent > 0,
    remainingMs: remainingMs(by.deadline, clock),
    delayMs: retryDelayMs(error, tries - 1, random),
  });
  return step.do === 'retry' ? step.afterMs : undefined;
}
