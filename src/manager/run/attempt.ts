import type { FinishReason } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import { beforeCall } from './conclude-call.ts';
import { LONG_CHARS } from './continue-answer.ts';
import { mayHedge } from './hedging.ts';
import { prepareAttempt, releaseAttempt } from './prepare-attempt.ts';
import { raceAttempts } from './race-attempts.ts';
import type { RunContext, RunDeps } from './run-plan.ts';
import type { RunState } from './run-state.ts';
import { streamAttempt } from './stream-attempt.ts';

/** The attempts on one candidate, and the size of its prompt. */
export interface CandidateState {
  readonly candidate: PlannedModel;
  tries: number;
  hasShrunk: boolean;
  /** The context window that the vendor reported when it refused the prompt. */
  contextTokens: number | undefined;
}

export interface AnsweredAttempt {
  readonly do: 'answer';
  readonly candidate: PlannedModel;
  readonly answer: ChatAnswer;
  readonly finish: FinishReason;
  /** The stop text that ended the answer, where that is known. */
  readonly stopText?: string;
  /** The whole text, also where several models wrote it. */
  readonly text: string;
}

/** What follows an attempt, and the candidate that it follows: a hedge may have taken its place. */
export interface AttemptEnd {
  readonly step: AnsweredAttempt | NextStep;
  readonly candidateState: CandidateState;
}

/**
 * One attempt on a candidate. While it is silent, candidates of other providers may be asked beside
 * it. Throws `budget` when the budget is used up.
 */
export async function attempt(
  candidateState: CandidateState,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<AttemptEnd> {
  // The cut answer was read and judged in this turn; its continuation is estimated in the next.
  if (deps.pause && state.emittedText.length > LONG_CHARS) await deps.pause();
  const prepared = await prepareAttempt(candidateState, state, run, deps);
  if (prepared.is === 'skipped') return { step: prepared.step, candidateState };
  const { attempt: first } = prepared;
  if (!candidateState.candidate.isLastResort && mayHedge(run, deps)) {
    return raceAttempts(first, state, run, deps);
  }
  let costMicroUsd = 0;
  try {
    const conclude = beforeCall(first, state, run, deps);
    const call = await streamAttempt(first, state, run, deps);
    const ended = conclude(call);
    ({ costMicroUsd } = ended);
    return { step: ended.handle(), candidateState };
  } finally {
    // If our own code failed, that says nothing about the model.
    releaseAttempt(first, costMicroUsd);
  }
}
