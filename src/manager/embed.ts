import type { AskReport } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { sleepWhole } from '#core/clock.ts';
import { remainingMs } from '#core/deadline.ts';
import type { Embedder } from '#core/embed.ts';
import type { TokenUsage } from '#core/chat.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Random } from '#core/random.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import { pickEmbedding, withMeaningFix, type EmbedWorld } from './embed-model.ts';
import { tryEmbedding, type EmbedJob, type EmbedTryDeps } from './embed-try.ts';
import { afterFailure } from './run/after-failure.ts';
import type { Once } from './run/ask-once.ts';
import { keepSpent } from './run/keep-spent.ts';
import { createLedger } from './run/ledger.ts';
import { createObserver } from './run/observe.ts';
import { askDeadline } from './run/time-share.ts';

export interface EmbedDeps extends EmbedTryDeps {
  readonly world: EmbedWorld;
  readonly random: Random;
  readonly spend: CallStore['spend'];
  /** What is taken out of messages for a principal: the owner alone knows where providers are. */
  readonly conceal: (principal: string) => (text: string) => string;
  readonly log: Log;
  /** One line for each attempt. */
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

const RETRIES = 1;
const NO_TOKENS: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, estimated: true };

/** Makes vectors: one model, asked once more where that helps, with breakers, budgets and records as for every answer. */
export function createEmbedder(deps: EmbedDeps): Embedder {
  const { clock } = deps;
  const observer = createObserver(deps.crumbs, deps.metrics);

  return {
    async embed(request, by) {
      const { texts, dimensions } = request;
      const { model, reasons } = pickEmbedding(request, deps.world);
      const job: EmbedJob = {
        texts,
        dimensions,
        by,
        deadline: askDeadline(by.deadline, clock),
        ledger: createLedger(by, clock, observer),
        conceal: deps.conceal(by.caller.principal),
        model,
        vectors: [],
      };
      let failure: CallError | undefined;
      try {
        failure = await makeAll(job, deps);
      } catch (thrown) {
        failure = CallError.from(thrown);
      }
      keepSpent(job.ledger, by, deps);
      if (failure) throw withoutStandIn(withMeaningFix(failure, model, request));
      const { provider, id } = job.model;
      const totals = job.ledger.totals();
      const report: AskReport = {
        provider,
        model: id,
        reasons,
        attempts: job.ledger.attempts,
        notices: [],
        ...totals,
        quality: 'full',
      };
      const { usage = NO_TOKENS } = totals;
      return { made: { model: id, provider, vectors: job.vectors, usage }, report };
    },
  };
}

/** Why not all of them are made; nothing when they are. Throws what kept it from being asked at all. */
async function makeAll(job: EmbedJob, deps: EmbedDeps): Promise<CallError | undefined> {
  const { by, ledger } = job;
  let error: CallError | undefined;
  for (let tries = 1; ; tries++) {
    by.signal.throwIfAborted();
    let once: Once;
    try {
      once = await tryEmbedding(job, deps);
    } catch (thrown) {
      // Why it failed at all says more than why it could not be asked again.
      if (error && !by.signal.aborted) return error;
      throw thrown;
    }
    error = once.outcome.is === 'failed' ? once.outcome.error : undefined;
    const afterMs = error && pauseBefore(error, once, tries, job, deps);
    const { model } = job;
    const next = afterMs === undefined ? undefined : `${model.provider}/${model.id}`;
    ledger.attempted({ model, once, error, next });
    if (afterMs === undefined) return error;
    await sleepWhole(deps.clock, afterMs, by.signal);
  }
}

/** How long to wait before it is asked once more; nothing when it is not. */
function pauseBefore(
  error: CallError,
  { exchanges }: Once,
  tries: number,
  { by, deadline }: EmbedJob,
  { clock, random }: EmbedDeps,
): number | undefined {
  if (tries > RETRIES || by.signal.aborted) return undefined;
  const step = afterFailure({
    error,
    tries,
    hasShrunk: true,
    othersLeft: 'no',
    reached: exchanges.some(({ status }) => status !== undefined) ? 'yes' : 'no',
    remainingMs: remainingMs(deadline, clock),
    delayMs: retryDelayMs(error, tries - 1, random),
  });
  return step.do === 'retry' ? step.afterMs : undefined;
}

/** Where a question would have gone to somebody else, it is said why this did not. */
function withoutStandIn(error: CallError): CallError {
  if (!error.policy.fallback) return error;
  const { message, reason: own } = error;
  const why = reason('embeddings_not_substituted', { message, ...(own && { reason: own }) });
  return codedError(error.class, why, { ...error.facts(), cause: error });
}
