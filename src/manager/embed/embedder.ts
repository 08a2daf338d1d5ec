import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AskContext, AskReport } from '#core/llm/ask.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { Provider, ProviderId, VendorRequestRecord } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import { remainingMs, signalAt, type Deadline } from '#core/time/deadline.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import { retryDelayMs } from '#resilience/retry.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import type { Budgets } from '../budget/budgets.ts';
import { selectEmbeddingModel, withAliasHint, type EmbeddingState } from './embedding-model.ts';
import { isFree } from '../budget/max-cost.ts';
import { afterFailure } from '../run/after-failure.ts';
import type { ProviderCallResult } from '../run/provider-call.ts';
import { createLedger, recordUsage, type Ledger } from '../run/ledger.ts';
import { createAskObserver } from '../run/ask-observer.ts';
import { askDeadline } from '../run/attempt-limits.ts';

export interface EmbedDeps extends EmbedTryDeps {
  readonly state: EmbeddingState;
  readonly random: Random;
  readonly spend: CallStore['recordUsage'];
  /** Redacts provider hosts from messages for a principal; only the owner sees them. */
  readonly redactHosts: (principal: string) => (text: string) => string;
  readonly log: Log;
  /** Log with one line per attempt. */
  readonly crumbs: Log;
  readonly metrics: Metrics;
}

const RETRIES = 1;
const NO_TOKENS: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0, estimated: true };

/**
 * The embedder: one model with one retry and no fallback; breakers, budgets and records as for
 * chat.
 */
export function createEmbedder(deps: EmbedDeps): Embedder {
  const { clock } = deps;
  const observer = createAskObserver(deps.crumbs, deps.metrics);

  return {
    async embed(request, by) {
      const { texts, dimensions } = request;
      const { model, reasons, isOnTrust } = selectEmbeddingModel(request, deps.state);
      const job: EmbedJob = {
        texts,
        dimensions,
        by,
        deadline: askDeadline(by.deadline, clock),
        ledger: createLedger(by, clock, observer),
        redactHosts: deps.redactHosts(by.caller.principal),
        model,
        name: isOnTrust ? 'on_trust' : 'known',
        vectors: [],
      };
      let failure: CallError | undefined;
      try {
        failure = await makeAll(job, deps);
      } catch (thrown) {
        failure = CallError.from(thrown);
      }
      recordUsage(job.ledger, by, deps);
      if (failure) throw withoutFallback(withAliasHint(failure, model, request));
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

/**
 * Embeds all texts, with a retry. Returns the error if that failed; throws if the provider could
 * not be called.
 */
async function makeAll(job: EmbedJob, deps: EmbedDeps): Promise<CallError | undefined> {
  const { by, ledger } = job;
  let error: CallError | undefined;
  for (let tries = 1; ; tries++) {
    by.signal.throwIfAborted();
    let call: ProviderCallResult;
    try {
      call = await tryEmbedding(job, deps);
    } catch (thrown) {
      // The first failure says more than why the retry was not possible.
      if (error && !by.signal.aborted) return error;
      throw thrown;
    }
    error = call.outcome.is === 'failed' ? call.outcome.error : undefined;
    const afterMs = error && retryDelay(error, call, tries, job, deps);
    const { model } = job;
    const next = afterMs === undefined ? undefined : `${model.provider}/${model.id}`;
    ledger.attempted({ model, call, error, next });
    if (afterMs === undefined) return error;
    await sleepWhole(deps.clock, afterMs, by.signal);
  }
}

/** The delay before the retry; undefined without a retry. */
function retryDelay(
  error: CallError,
  { exchanges }: ProviderCallResult,
  tries: number,
  { by, deadline }: EmbedJob,
  { clock, random }: EmbedDeps,
): number | undefined {
  if (tries > RETRIES || by.signal.aborted) return undefined;
  const step = afterFailure({
    error,
    tries,
    hasShrunk: true,
    hasFallback: false,
    hasOtherQueue: false,
    vendorResponded: exchanges.some(({ status }) => status !== undefined),
    remainingMs: remainingMs(deadline, clock),
    delayMs: retryDelayMs(error, tries - 1, random),
  });
  return step.do === 'retry' ? step.afterMs : undefined;
}

/** Adds to an error with a chat fallback that embeddings have none. */
function withoutFallback(error: CallError): CallError {
  if (!error.policy.fallback) return error;
  const { message, reason: own } = error;
  const why = reason('embeddings_not_substituted', { message, ...(own && { reason: own }) });
  return codedError(error.class, why, { ...error.facts(), cause: error });
}

interface EmbedTryDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Pick<Breakers, 'tryAcquire'>;
  readonly budgets: Pick<Budgets, 'reserve'>;
  readonly clock: Clock;
}

/** An embedding request under way. A retry continues after the vectors made so far. */
interface EmbedJob {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
  readonly by: AskContext;
  readonly deadline: Deadline;
  readonly ledger: Ledger;
  readonly redactHosts: (text: string) => string;
  /** From the first response on, with the vendor's name for it. */
  model: Model;
  /** `on_trust`: the caller's name may be a typo, which says nothing about the server. */
  readonly name: 'known' | 'on_trust';
  readonly vectors: Float32Array[];
}

/**
 * Texts per request; small enough for every vendor, and a retry does not pay for earlier batches
 * again.
 */
const BATCH = 64;

/**
 * Makes the missing vectors, batch by batch, after reserving the budget and acquiring the breaker.
 * Throws when the provider may not be called; later errors are in the outcome.
 */
async function tryEmbedding(job: EmbedJob, deps: EmbedTryDeps): Promise<ProviderCallResult> {
  const { by, deadline, model } = job;
  const target = { provider: model.provider, model: model.id };
  const provider = deps.providers.get(model.provider);
  if (!provider?.embed) {
    throw new CallError('not_configured', `${target.provider} makes no embeddings.`, target);
  }
  const { principal } = by.caller;
  const wait = { deadline, signal: by.signal };
  const reservation = await deps.budgets.reserve(principal, maxCost(job), wait);
  let costMicroUsd = 0;
  try {
    // No other model is asked, so a call is forced through an open breaker if it may be.
    const usual = deps.breakers.tryAcquire(target);
    const acquired =
      usual.is === 'refused' && usual.isForcible
        ? deps.breakers.tryAcquire(target, 'forced')
        : usual;
    if (acquired.is === 'refused') {
      const { reason, retryInMs: retryAfterMs } = acquired;
      const fixes = breakerFixes([reason], retryAfterMs);
      throw codedError('breaker_open', reason, { ...target, retryAfterMs, fixes });
    }
    const { permit } = acquired;
    try {
      const call = await askBatches(job, provider, deps.clock);
      const { outcome } = call;
      if (outcome.answer.usage) costMicroUsd = job.ledger.used(job.model, outcome.answer.usage);
      if (outcome.is === 'answered') permit.success();
      else if (!by.signal.aborted && !isTypo(job, outcome.error)) permit.failure(outcome.error);
      return call;
    } finally {
      // No effect if a result was reported already.
      permit.cancel();
    }
  } finally {
    reservation.settle(costMicroUsd);
  }
}

function isTypo({ name }: EmbedJob, { class: errorClass }: CallError): boolean {
  return name === 'on_trust' && errorClass === 'not_found';
}

/** The amount to reserve. With a limit, models of unknown price run one at a time. */
function maxCost({ model, texts, vectors }: EmbedJob): number {
  if (isFree(model)) return 0;
  if (!model.price) return Infinity;
  let input = 0;
  for (const text of texts.slice(vectors.length)) input += estimateTokens(text);
  return costOf(model, { input, output: 0, cached: 0, reasoning: 0, estimated: true }).microUsd;
}

/** Never throws. */
async function askBatches(
  job: EmbedJob,
  provider: Provider,
  clock: Clock,
): Promise<ProviderCallResult> {
  const startedAt = clock.monotonic();
  const exchanges: VendorRequestRecord[] = [];
  const within = signalAt(job.deadline, clock, job.by.signal);
  let usage: TokenUsage | undefined;
  let error: CallError | undefined;
  try {
    while (job.vectors.length < job.texts.length) {
      const used = await askBatch(job, provider, within.signal, exchanges);
      usage = usage ? sum(usage, used) : used;
    }
  } catch (thrown) {
    error = redacted(CallError.from(thrown, targetOf(job)), job);
  } finally {
    within.dispose();
  }
  const elapsedMs = clock.monotonic() - startedAt;
  const answer = { ...EMPTY_ANSWER, model: job.model.id, usage };
  const outcome = error
    ? ({ is: 'failed', answer, error } as const)
    : ({ is: 'answered', answer, finish: 'stop' } as const);
  return { outcome, elapsedMs, firstTokenMs: undefined, exchanges };
}

const EMPTY_ANSWER = {
  text: '',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  notices: [],
};

async function askBatch(
  job: EmbedJob,
  provider: Provider,
  signal: AbortSignalLike,
  exchanges: VendorRequestRecord[],
): Promise<TokenUsage> {
  const { texts, dimensions, vectors, deadline } = job;
  const batch = texts.slice(vectors.length, vectors.length + BATCH);
  const asked = provider.embed?.(
    { model: job.model.id, texts: batch, ...(dimensions !== undefined && { dimensions }) },
    { signal, deadline, onVendorRequest: (exchange) => void exchanges.push(exchange) },
  );
  const made = await unlessAborted(asked, signal);
  const size = vectors[0]?.length ?? made?.vectors[0]?.length;
  const isWhole = made?.vectors.length === batch.length;
  if (!made || !isWhole || made.vectors.some(({ length }) => length !== size)) {
    const message = 'The vectors are not as many as the texts, or not of one size.';
    throw new CallError('bad_response', message, targetOf(job));
  }
  for (const vector of made.vectors) vectors.push(vector);
  if (made.model !== job.model.id) job.model = { ...job.model, id: made.model, title: made.model };
  return made.usage;
}

/** The work's result, or a rejection as soon as the signal aborts. */
async function unlessAborted<T>(work: Promise<T> | undefined, signal: AbortSignalLike) {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(CallError.from(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function targetOf({ model }: EmbedJob): { readonly provider: ProviderId; readonly model: string } {
  return { provider: model.provider, model: model.id };
}

/**
 * The error with redacted hosts; a cancellation that the caller did not request is a network error.
 */
function redacted(error: CallError, { by, redactHosts }: EmbedJob): CallError {
  const isTheirs = error.class === 'cancelled' && !by.signal.aborted;
  const message = isTheirs ? 'The provider cancelled the answer.' : redactHosts(error.message);
  if (!isTheirs && message === error.message) return error;
  const errorClass = isTheirs ? 'network' : error.class;
  return new CallError(errorClass, message, { ...error.facts(), cause: error });
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  const cost =
    a.costMicroUsd === undefined || b.costMicroUsd === undefined
      ? {}
      : { costMicroUsd: a.costMicroUsd + b.costMicroUsd };
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    reasoning: a.reasoning + b.reasoning,
    ...cost,
    estimated: a.estimated || b.estimated,
  };
}
