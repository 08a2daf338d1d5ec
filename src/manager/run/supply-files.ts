import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { modelTimeouts } from '#models/timeouts.ts';
import type { BreakerPermit } from '#resilience/breaker-types.ts';
import { breakerFixes } from '../breaker-fixes.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import type { AnsweredAttempt, CandidateState } from './attempt.ts';
import { supplyDeadline } from './attempt-limits.ts';
import { handleFailure } from './handle-outcome.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import { hasFallbackLeft, recordSkip, type RunState } from './run-state.ts';

/** A permit of the candidate's breaker; undefined if it is refused, which is recorded. */
export function acquireBreaker(
  candidate: PlannedModel,
  state: RunState,
  { breakers }: Pick<RunDeps, 'breakers'>,
): BreakerPermit | undefined {
  const target = { provider: candidate.entry.provider, model: candidate.entry.id };
  const acquired = breakers.tryAcquire(target, state.acquire);
  if (acquired.is === 'granted') return acquired.permit;
  if (acquired.isForcible) state.refused.push(candidate);
  const { reason: why, retryInMs: retryAfterMs } = acquired;
  const fixes = breakerFixes([why], retryAfterMs);
  recordSkip(state, codedError('breaker_open', why, { ...target, retryAfterMs, fixes }));
  return undefined;
}

/**
 * Uploads the documents of the request for a candidate, or recognises their text. A failure is a
 * failed attempt on the candidate; the result is what follows it. Undefined: it may be asked.
 */
export async function supplyFiles(
  candidateState: CandidateState,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<AnsweredAttempt | NextStep | undefined> {
  const { candidate } = candidateState;
  const { files, signal, vendorCalls } = run;
  if (!files || files.isSupplied(candidate)) return undefined;
  const permit = acquireBreaker(candidate, state, deps);
  if (!permit) return { do: 'next', skip: 'model' };
  const exchanges: VendorRequestRecord[] = [];
  const startedAt = deps.clock.monotonic();
  const { provider, model } = candidate;
  try {
    const timeouts = modelTimeouts(candidate.entry, candidate.thinking, deps.timeouts);
    const conditions = { hasFallback: hasFallbackLeft(state), bytes: files.bytes(candidate) };
    const context = {
      signal,
      vendorCalls,
      deadline: supplyDeadline(run.deadline, timeouts, conditions, deps.clock),
      onVendorRequest: (exchange: VendorRequestRecord) => void exchanges.push(exchange),
    };
    await files.supply(candidate, context, (used) => run.ledger.used(used.model, used.usage));
    const elapsedMs = deps.clock.monotonic() - startedAt;
    if (exchanges.length > 0) run.ledger.supplied({ provider, model, elapsedMs, exchanges });
    return undefined;
  } catch (thrown) {
    const error = supplyError(thrown, candidate, run);
    const call: ProviderCallResult = {
      outcome: { is: 'failed', answer: noAnswer(model), error },
      elapsedMs: deps.clock.monotonic() - startedAt,
      firstTokenMs: undefined,
      exchanges,
    };
    return handleFailure(error, { call, candidateState, permit }, state, run, deps);
  } finally {
    // An upload says nothing about the model; no effect if a failure was reported.
    permit.cancel();
  }
}

/** The answer of an exchange that is about files alone. */
export function noAnswer(model: string): ChatAnswer {
  return {
    text: '',
    reasoning: '',
    reasoningDetails: [],
    toolCalls: [],
    citations: [],
    notices: [],
    usage: undefined,
    model,
  };
}

/** Of the candidate, without hosts; a cancellation that no caller requested is a network error. */
function supplyError(thrown: unknown, { entry }: PlannedModel, run: RunContext): CallError {
  const error = CallError.from(thrown, { provider: entry.provider, model: entry.id });
  const isTheirs = error.class === 'cancelled' && !run.signal.aborted;
  const message = isTheirs ? 'The provider cancelled the upload.' : run.redactHosts(error.message);
  if (!isTheirs && message === error.message) return error;
  const errorClass = isTheirs ? 'network' : error.class;
  return new CallError(errorClass, message, { ...error.facts(), cause: error });
}
