import type { NextStep } from './after-failure.ts';
import type { AnsweredAttempt } from './attempt.ts';
import { addDelivered } from './delivered-usage.ts';
import { handleOutcome } from './handle-outcome.ts';
import { estimateUsage, type AttemptPlace } from './ledger.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import type { RunState } from './run-state.ts';

/** Books what a call used, then turns its result into what follows. */
interface ConcludedCall {
  readonly costMicroUsd: number;
  handle(): AnsweredAttempt | NextStep;
}

/** Remembers what an attempt begins with; the result concludes it. */
export function beforeCall(
  { candidateState, fitted, permit, continuation }: PreparedAttempt,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): (call: ProviderCallResult, place?: AttemptPlace) => ConcludedCall {
  const { candidate } = candidateState;
  const continues = state.emittedText;
  return (call, place) => {
    const { outcome } = call;
    const usage = outcome.answer.usage ?? estimateUsage(outcome.answer, fitted.tokens);
    let costMicroUsd = 0;
    if (usage && !candidate.isLastResort) {
      costMicroUsd = run.ledger.used(candidate.entry, usage);
      state.delivered = addDelivered(state.delivered, {
        outcome,
        usage,
        promptTokens: fitted.tokens,
        continues,
        addedTokens: continuation?.addedTokens ?? 0,
        emittedChars: state.emittedText.length - continues.length,
        maxOutputTokens: run.request.maxOutputTokens,
      });
    }
    const result = { call, candidateState, fitted, permit, ...(place && { place }) };
    return { costMicroUsd, handle: () => handleOutcome(result, state, run, deps) };
  };
}
