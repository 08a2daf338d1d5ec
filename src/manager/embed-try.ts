import type { AskedBy } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { TokenUsage } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import { signalAt, type Deadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Exchange, Provider, ProviderId } from '#core/provider.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import type { Budgets } from './budget-words.ts';
import { isFree } from './capable.ts';
import type { Once } from './run/ask-once.ts';
import type { Ledger } from './run/ledger.ts';

export interface EmbedTryDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Pick<Breakers, 'tryAcquire'>;
  readonly budgets: Pick<Budgets, 'reserve'>;
  readonly clock: Clock;
}

/** Texts on their way to vectors. What one try made, the next does not make again. */
export interface EmbedJob {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
  readonly by: AskedBy;
  readonly deadline: Deadline;
  readonly ledger: Ledger;
  readonly conceal: (text: string) => string;
  /** From the first answer on, by the name that its vendor gives it. */
  model: Model;
  readonly vectors: Float32Array[];
}

/** No vendor takes more at once; what is made by then is paid for once only. */
const BATCH = 64;

/**
 * Makes the vectors that are missing, as far as it goes: money and leave first, then the provider, batch by batch. Throws
 * when it may not even be asked; what went wrong after that is in the outcome.
 */
export async function tryEmbedding(job: EmbedJob, deps: EmbedTryDeps): Promise<Once> {
  const { by, deadline, model } = job;
  const who = { provider: model.provider, model: model.id };
  const provider = deps.providers.get(model.provider);
  if (!provider?.embed) {
    throw new CallError('not_configured', `${who.provider} makes no embeddings.`, who);
  }
  const { principal } = by.caller;
  const wait = { deadline, signal: by.signal };
  const reservation = await deps.budgets.reserve(principal, maxCost(job), wait);
  let costMicroUsd = 0;
  try {
    const acquired = deps.breakers.tryAcquire(who);
    if (acquired.is === 'refused') {
      const { reason, retryInMs: retryAfterMs } = acquired;
      throw codedError('breaker_open', reason, { ...who, retryAfterMs });
    }
    const { permit } = acquired;
    try {
      const once = await askBatches(job, provider, deps.clock);
      const { outcome } = once;
      if (outcome.answer.usage) costMicroUsd = job.ledger.used(job.model, outcome.answer.usage);
      if (outcome.is === 'answered') permit.success();
      else if (!by.signal.aborted) permit.failure(outcome.error);
      return once;
    } finally {
      // Heard only if nothing was said before.
      permit.cancel();
    }
  } finally {
    reservation.settle(costMicroUsd);
  }
}

/** Of those whose price nobody knows one at a time is asked, where there is a limit. */
function maxCost({ model, texts, vectors }: EmbedJob): number {
  if (isFree(model)) return 0;
  if (!model.price) return Infinity;
  let input = 0;
  for (const text of texts.slice(vectors.length)) input += estimateTokens(text);
  return costOf(model, { input, output: 0, cached: 0, reasoning: 0, estimated: true }).microUsd;
}

/** Never throws. */
async function askBatches(job: EmbedJob, provider: Provider, clock: Clock): Promise<Once> {
  const startedAt = clock.monotonic();
  const exchanges: Exchange[] = [];
  const within = signalAt(job.deadline, clock, job.by.signal);
  let usage: TokenUsage | undefined;
  let error: CallError | undefined;
  try {
    while (job.vectors.length < job.texts.length) {
      const used = await askBatch(job, provider, within.signal, exchanges);
      usage = usage ? sum(usage, used) : used;
    }
  } catch (thrown) {
    error = told(CallError.from(thrown, whoOf(job)), job);
  } finally {
    within.dispose();
  }
  const elapsedMs = clock.monotonic() - startedAt;
  const answer = { ...NOTHING_SAID, model: job.model.id, usage };
  const outcome = error
    ? ({ is: 'failed', answer, error } as const)
    : ({ is: 'answered', answer, finish: 'stop' } as const);
  return { outcome, elapsedMs, firstTokenMs: undefined, exchanges };
}

const NOTHING_SAID = {
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
  signal: Cancel,
  exchanges: Exchange[],
): Promise<TokenUsage> {
  const { texts, dimensions, vectors, deadline } = job;
  const batch = texts.slice(vectors.length, vectors.length + BATCH);
  const asked = provider.embed?.(
    { model: job.model.id, texts: batch, ...(dimensions !== undefined && { dimensions }) },
    { signal, deadline, onExchange: (exchange) => void exchanges.push(exchange) },
  );
  const made = await unlessAborted(asked, signal);
  const size = vectors[0]?.length ?? made?.vectors[0]?.length;
  const isWhole = made?.vectors.length === batch.length;
  if (!made || !isWhole || made.vectors.some(({ length }) => length !== size)) {
    const message = 'The vectors are not as many as the texts, or not of one size.';
    throw new CallError('bad_response', message, whoOf(job));
  }
  for (const vector of made.vectors) vectors.push(vector);
  if (made.model !== job.model.id) job.model = { ...job.model, id: made.model, title: made.model };
  return made.usage;
}

/** Whoever heeds no signal is left behind. */
async function unlessAborted<T>(work: Promise<T> | undefined, signal: Cancel) {
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

function whoOf({ model }: EmbedJob): { readonly provider: ProviderId; readonly model: string } {
  return { provider: model.provider, model: model.id };
}

/** As this caller may read it; a cancel that it did not ask for is the other side hanging up. */
function told(error: CallError, { by, conceal }: EmbedJob): CallError {
  const isTheirs = error.class === 'cancelled' && !by.signal.aborted;
  const message = isTheirs ? 'The provider cancelled the answer.' : conceal(error.message);
  if (!isTheirs && message === error.message) return error;
  // Its parameters may hold what the message conceals.
  const { reason: _, ...facts } = error.facts();
  return new CallError(isTheirs ? 'network' : error.class, message, { ...facts, cause: error });
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
