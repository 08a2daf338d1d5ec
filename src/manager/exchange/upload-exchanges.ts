import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UploadContext, UploadExchanges, Uploads } from '#core/files/uploads.ts';
import type { AskContext, AskReport } from '#core/llm/ask.ts';
import type { ProviderId, VendorRequestRecord } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import { MODEL_TOOL_TIMEOUT_MS } from '#core/time/call-times.ts';
import { deadlineIn, earlier, remainingMs } from '#core/time/deadline.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Breakers, BreakerPermit } from '#resilience/breaker-types.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import { afterFailure } from '../run/after-failure.ts';
import { createAskObserver } from '../run/ask-observer.ts';
import { askDeadline } from '../run/attempt-limits.ts';
import { toBreakerFailure } from '../run/breaker-failure.ts';
import { createLedger, recordUsage } from '../run/ledger.ts';
import { noAnswer } from '../run/supply-files.ts';

export interface UploadExchangesDeps {
  readonly uploads: Uploads;
  readonly breakers: Pick<Breakers, 'tryAcquire'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly spend: CallStore['recordUsage'];
  /** Redacts provider hosts from messages for a principal; only the owner sees them. */
  readonly redactHosts: (principal: string) => (text: string) => string;
  readonly log: Log;
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

/** The name of a provider's files in attempts and breakers, in the place of a model. */
const FILES = 'files';
const RETRIES = 1;

interface Exchange<T> {
  readonly result?: { readonly value: T };
  readonly error?: CallError;
  readonly elapsedMs: number;
  readonly exchanges: readonly VendorRequestRecord[];
}

export function createUploadExchanges(deps: UploadExchangesDeps): UploadExchanges {
  const { clock, uploads } = deps;
  const observer = createAskObserver(deps.crumbs, deps.metrics);

  function acquire(provider: ProviderId): BreakerPermit {
    const target = { provider, model: FILES };
    // Nothing else takes the file, so a call is forced through an open breaker if it may be.
    const usual = deps.breakers.tryAcquire(target);
    const isForced = usual.is === 'refused' && usual.isForcible;
    const acquired = isForced ? deps.breakers.tryAcquire(target, 'forced') : usual;
    if (acquired.is === 'granted') return acquired.permit;
    const { reason, retryInMs: retryAfterMs } = acquired;
    const fixes = breakerFixes([reason], retryAfterMs);
    throw codedError('breaker_open', reason, { ...target, retryAfterMs, fixes });
  }

  async function tryOnce<T>(
    provider: ProviderId,
    by: AskContext,
    work: (uploads: Uploads, context: UploadContext) => Promise<T>,
  ): Promise<Exchange<T>> {
    const permit = acquire(provider);
    const exchanges: VendorRequestRecord[] = [];
    const startedAt = clock.monotonic();
    const context: UploadContext = {
      signal: by.signal,
      // A job has more time than a silent provider should have.
      deadline: earlier(askDeadline(by.deadline, clock), deadlineIn(clock, MODEL_TOOL_TIMEOUT_MS)),
      onVendorRequest: (exchange) => void exchanges.push(exchange),
    };
    try {
      const value = await work(uploads, context);
      if (exchanges.length > 0) permit.success();
      return { result: { value }, elapsedMs: clock.monotonic() - startedAt, exchanges };
    } catch (thrown) {
      const error = redacted(CallError.from(thrown), by);
      const { principal } = by.caller;
      // A file that a provider does not know says nothing about the provider.
      const isOfFile = error.class === 'not_found' || by.signal.aborted;
      if (!isOfFile) permit.failure(toBreakerFailure(error, { principal }));
      return { error, elapsedMs: clock.monotonic() - startedAt, exchanges };
    } finally {
      // No effect if a result was reported.
      permit.cancel();
    }
  }

  function redacted(error: CallError, { caller }: AskContext): CallError {
    const message = deps.redactHosts(caller.principal)(error.message);
    if (message === error.message) return error;
    return new CallError(error.class, message, { ...error.facts(), cause: error });
  }

  /** The delay before another try; undefined if there is none. */
  function retryDelay(error: CallError, tries: number, by: AskContext, sent: number) {
    if (tries > RETRIES || by.signal.aborted || error.retry === 'never') return undefined;
    const step = afterFailure({
      error,
      tries,
      hasShrunk: true,
      hasFallback: false,
      hasOtherQueue: false,
      vendorResponded: sent > 0,
      remainingMs: remainingMs(by.deadline, clock),
      delayMs: retryDelayMs(error, tries - 1, deps.random),
    });
    return step.do === 'retry' ? step.afterMs : undefined;
  }

  return {
    async run(provider, by, work) {
      const ledger = createLedger(by, clock, observer);
      const model = assumeModel(FILES, provider);
      try {
        for (let tries = 1; ; tries++) {
          const { result, error, elapsedMs, exchanges } = await tryOnce(provider, by, work);
          const afterMs = error && retryDelay(error, tries, by, exchanges.length);
          if (exchanges.length > 0) {
            const outcome = error
              ? ({ is: 'failed', answer: noAnswer(FILES), error } as const)
              : ({ is: 'answered', answer: noAnswer(FILES), finish: 'stop' } as const);
            const call = { outcome, elapsedMs, firstTokenMs: undefined, exchanges };
            const next = afterMs === undefined ? undefined : `${provider}/${FILES}`;
            ledger.attempted({ model, call, error, next });
          }
          if (result) {
            const report: AskReport = {
              provider,
              reasons: [],
              attempts: ledger.attempts,
              notices: [],
              ...ledger.totals(),
              quality: 'full',
            };
            return { result: result.value, report };
          }
          if (afterMs === undefined) throw error ?? new CallError('internal', 'No result.');
          await sleepWhole(clock, afterMs, by.signal);
        }
      } finally {
        recordUsage(ledger, by, deps);
      }
    },
  };
}
