import type { AskContext, AskListener, AskRequest, Seam } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Citation } from '#core/llm/chat.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import { remainingMs, type Deadline } from '#core/time/deadline.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { StreamTimeouts, Provider, ProviderId } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { Budgets } from '../budget/budgets.ts';
import type { Fitted } from '../context/fit.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import type { ProviderCallResult } from './provider-call.ts';
import { attempt, type AnsweredAttempt, type CandidateState } from './attempt.ts';
import { finalError } from './final-error.ts';
import type { Ledger } from './ledger.ts';
import {
  createRunState,
  remainingAfter,
  takeNextCandidate,
  recordSkip,
  remainingCandidates,
  type RunState,
} from './run-state.ts';

export interface RunDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  readonly timeouts: StreamTimeouts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Learns from an answer: real tokens against the estimate, and the time to first token. */
  learn(candidate: PlannedModel, call: ProviderCallResult, estimatedTokens: number): void;
}

export interface RunContext {
  readonly plan: AskPlan;
  readonly request: AskRequest;
  readonly by: AskContext;
  readonly deadline: Deadline;
  readonly signal: AbortSignalLike;
  readonly listener: AskListener;
  readonly ledger: Ledger;
  /** Redacts provider hosts from messages to this caller. */
  readonly redactHosts: (text: string) => string;
  /** Whether free models are used when the budget is used up. */
  readonly whenSpent: 'step_down' | 'refuse';
  /** The prompt for a candidate; for another context window, if its vendor reported one. */
  fit(candidate: PlannedModel, contextTokens: number | undefined): Promise<Fitted>;
}

interface OutcomeLog {
  readonly reasons: readonly Reason[];
  readonly notices: readonly Notice[];
}

export type PlanOutcome =
  | (OutcomeLog &
      Omit<AnsweredAttempt, 'do'> & {
        readonly is: 'answered';
        readonly citations: readonly Citation[];
        readonly seams: readonly Seam[];
      })
  | (OutcomeLog & { readonly is: 'failed'; readonly error: CallError; readonly partial: string });

/** The factor by which a prompt shrinks when a vendor refuses it without naming its window. */
const SHRINK = 0.7;

/** Tries the candidates of a plan in order until one answers. */
export async function runPlan(run: RunContext, deps: RunDeps): Promise<PlanOutcome> {
  const state = createRunState(run.plan);
  let candidate: PlannedModel | undefined = run.plan.first;
  for (; candidate; candidate = takeNextCandidate(state)) {
    // A request that is too long for all models fails; the extractive fallback would hide that.
    if (candidate.isLastResort && isTooLong(state)) break;
    const candidateState: CandidateState = {
      candidate,
      tries: 1,
      hasShrunk: false,
      contextTokens: undefined,
    };
    const end = await tryCandidate(candidateState, state, run, deps);
    if (end.do === 'answer') {
      const { do: _, ...answered } = end;
      const { citations, seams, reasons, notices } = state;
      return { is: 'answered', ...answered, citations, seams, reasons, notices };
    }
    if (end.do === 'stop') break;
    state.left = remainingAfter(state, candidate, end.skip);
  }
  return failed(state, run, deps.clock);
}

type CandidateResult = AnsweredAttempt | Extract<NextStep, { do: 'next' | 'stop' }>;

/** Tries one candidate, with retries. */
async function tryCandidate(
  candidateState: CandidateState,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<CandidateResult> {
  for (;;) {
    if (run.signal.aborted) return { do: 'stop' };
    if (remainingMs(run.deadline, deps.clock) <= 0) {
      recordSkip(state, codedError('timeout', reason('call_deadline_passed')));
      return { do: 'stop' };
    }
    let step: AnsweredAttempt | NextStep;
    try {
      step = await attempt(candidateState, state, run, deps);
    } catch (thrown) {
      const error = CallError.from(thrown);
      recordSkip(state, error);
      if (error.class !== 'budget' || run.whenSpent === 'refuse') return { do: 'stop' };
      state.left = remainingCandidates(state).filter(
        ({ maxCostMicroUsd }) => maxCostMicroUsd === 0,
      );
      return { do: 'next', skip: 'model' };
    }
    switch (step.do) {
      case 'retry':
        candidateState.tries += 1;
        await sleepWhole(deps.clock, step.afterMs, run.signal);
        break;
      case 'shrink':
        candidateState.hasShrunk = true;
        candidateState.contextTokens =
          step.contextTokens ?? Math.floor(candidateState.candidate.roomTokens * SHRINK);
        break;
      case 'answer':
      case 'next':
      case 'stop':
        return step;
    }
  }
}

function isTooLong({ failures }: RunState): boolean {
  return failures.length > 0 && failures.every((error) => error.class === 'context_length');
}

function failed(
  state: RunState,
  { signal, deadline, request }: RunContext,
  clock: Clock,
): PlanOutcome {
  const { failures, emittedText, hasEmittedToolCalls, longest, reasons, notices } = state;
  const error = signal.aborted
    ? CallError.from(signal.reason)
    : finalError({
        failures,
        emittedChars: emittedText.length,
        emittedToolCalls: hasEmittedToolCalls,
        continuing: request.onInterruption === 'fail' ? 'unwanted' : 'wanted',
        deadline: remainingMs(deadline, clock) <= 0 ? 'passed' : 'not_passed',
      });
  return {
    is: 'failed',
    error,
    reasons,
    notices,
    partial: emittedText === '' ? longest : emittedText,
  };
}
