import type { AskContext, AskListener, AskRequest, Seam } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Citation, TokenUsage } from '#core/llm/chat.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import { remainingMs, type Deadline } from '#core/time/deadline.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type {
  StreamTimeouts,
  Provider,
  ProviderContext,
  ProviderId,
  VendorCalls,
} from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { Budgets } from '../budget/budgets.ts';
import type { Fitted } from '../context/fit.ts';
import type { SuppliedFiles } from '../context/supplied-files.ts';
import type { Latencies } from '../latencies.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';
import type { NextStep } from './after-failure.ts';
import type { ProviderCallResult } from './provider-call.ts';
import { attempt, type AnsweredAttempt } from './attempt.ts';
import { acceptedAtEnd } from './complete-answer.ts';
import { finalError } from './final-error.ts';
import { createForcedProbes } from './forced-probes.ts';
import type { HedgeMode } from './hedging.ts';
import type { Ledger } from './ledger.ts';
import type { Silences } from './silences.ts';
import { newCandidate } from './new-candidate.ts';
import {
  areCallsUsedUp,
  createRunState,
  emitHeldBack,
  remainingAfter,
  recordSkip,
  keepFreeCandidates,
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
  /** Yields to the event loop, before a long answer is continued. */
  readonly pause?: () => Promise<void>;
  /** Searches the web for an ask; undefined if no provider can. Default: no search. */
  readonly searchFor?: (
    run: Pick<RunContext, 'ledger' | 'by' | 'vendorCalls'>,
  ) => ProviderContext['searchWeb'] | undefined;
  /** Whether another provider is asked beside a silent one; default `off`. */
  readonly hedge?: HedgeMode;
  /** The least silence before that; default: 5 seconds. */
  readonly hedgeLeastMs?: number;
  /** Whether requests of several asks are silent together; without it each one waits for itself. */
  readonly silences?: Silences;
  /** The usual times to the first token; without them nothing is known of them. */
  readonly latencies?: Pick<Latencies, 'usualMs'>;
  /** Learns from an answer: real tokens against the estimate, and the time to first token. */
  learn(
    candidate: PlannedModel,
    call: ProviderCallResult,
    estimatedTokens: number,
    request: AskRequest,
  ): void;
}

export interface RunContext {
  readonly plan: AskPlan;
  readonly request: AskRequest;
  readonly by: AskContext;
  readonly deadline: Deadline;
  readonly signal: AbortSignalLike;
  readonly listener: AskListener;
  readonly ledger: Ledger;
  /** Requests to vendors that this ask may make. */
  readonly vendorCalls: VendorCalls;
  /** Redacts provider hosts from messages to this caller. */
  readonly redactHosts: (text: string) => string;
  /** Whether free models are used when the budget is used up. */
  readonly whenSpent: 'step_down' | 'refuse';
  /** The documents of the request; absent without any. */
  readonly files?: SuppliedFiles;
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
        /** As the client counts it; absent if no model was asked. */
        readonly usage?: TokenUsage;
      })
  | (OutcomeLog & { readonly is: 'failed'; readonly error: CallError; readonly partial: string });

/** The factor by which a prompt shrinks when a vendor refuses it without naming its window. */
const SHRINK = 0.7;

/** Tries the candidates of a plan in order until one answers. */
export async function runPlan(run: RunContext, deps: RunDeps): Promise<PlanOutcome> {
  const state = createRunState(run.plan);
  const probes = createForcedProbes(state, run, deps);
  let candidate: PlannedModel | undefined = run.plan.first;
  for (; candidate; candidate = await probes.next()) {
    // A request that is too long for all models fails; the extractive fallback would hide that.
    if (candidate.isLastResort && isTooLong(state)) break;
    const { step, candidate: last } = await tryCandidate(candidate, state, run, deps);
    if (step.do === 'answer') return answered(step, state);
    if (step.do === 'stop') break;
    state.left = remainingAfter(state, last, step.skip);
    if (step.skip === 'until_others_tried') state.busyProviders.add(last.provider);
    stopAtCallLimit(state, run);
  }
  if (!run.signal.aborted) emitHeldBack(state, run.listener);
  const unreadable = unreadableAnswer(state, run);
  if (unreadable) return unreadable;
  const accepted = acceptedAtEnd(state, run);
  return accepted ? answered(accepted, state) : failed(state, run, deps);
}

function answered(attempted: AnsweredAttempt, state: RunState): PlanOutcome {
  const { candidate, answer, finish, text, stopText } = attempted;
  const { citations, seams, reasons, notices, delivered: usage } = state;
  return {
    is: 'answered',
    candidate,
    answer,
    finish,
    text,
    citations,
    seams,
    reasons,
    notices,
    ...(stopText !== undefined && { stopText }),
    ...(usage && { usage }),
  };
}

/** An answer whose tool calls are unreadable is better than none: agents ask their model again. */
function unreadableAnswer(state: RunState, { signal }: RunContext): PlanOutcome | undefined {
  const { unreadableAnswer: answered, emittedText, citations, seams, reasons, notices } = state;
  if (!answered || signal.aborted || state.hasEmittedToolCalls) return undefined;
  const { do: _, ...rest } = answered;
  const text = emittedText === '' ? rest.text : emittedText;
  const allNotices = [...notices, ...rest.answer.notices];
  const delivered = state.delivered ?? rest.answer.answerUsage ?? rest.answer.usage;
  const usage = delivered && { usage: delivered };
  return {
    is: 'answered',
    ...rest,
    text,
    citations,
    seams,
    reasons,
    notices: allNotices,
    ...usage,
  };
}

interface CandidateResult {
  readonly step: AnsweredAttempt | Extract<NextStep, { do: 'next' | 'stop' }>;
  /** The last candidate that was asked: one that was asked beside the first may take its place. */
  readonly candidate: PlannedModel;
}

/** Tries one candidate, with retries. */
async function tryCandidate(
  first: PlannedModel,
  state: RunState,
  run: RunContext,
  deps: RunDeps,
): Promise<CandidateResult> {
  let current = newCandidate(first);
  const end = (step: CandidateResult['step']) => ({ step, candidate: current.candidate });
  for (;;) {
    if (run.signal.aborted) return end({ do: 'stop' });
    if (remainingMs(run.deadline, deps.clock) <= 0) {
      recordSkip(state, codedError('timeout', reason('call_deadline_passed')));
      return end({ do: 'stop' });
    }
    // Other choices of the request may have used the rest while this one waited.
    if (areCallsUsedUp(run) && state.failures.length > 0 && !current.candidate.isLastResort)
      return end({ do: 'next', skip: 'model' });
    let step: AnsweredAttempt | NextStep;
    try {
      ({ step, candidateState: current } = await attempt(current, state, run, deps));
    } catch (thrown) {
      const error = CallError.from(thrown);
      recordSkip(state, error);
      if (error.class !== 'budget' || run.whenSpent === 'refuse') return end({ do: 'stop' });
      keepFreeCandidates(state);
      return end({ do: 'next', skip: 'model' });
    }
    switch (step.do) {
      case 'retry':
        current.tries += 1;
        await sleepWhole(deps.clock, step.afterMs, run.signal);
        break;
      case 'shrink':
        current.hasShrunk = true;
        current.contextTokens =
          step.contextTokens ?? Math.floor(current.candidate.roomTokens * SHRINK);
        break;
      case 'answer':
      case 'next':
      case 'stop':
        return end(step);
    }
  }
}

/** The extractive fallback asks no vendor, so it may still answer. */
function stopAtCallLimit(state: RunState, run: RunContext): void {
  if (!areCallsUsedUp(run)) return;
  state.reasons.push(reason('vendor_calls_used_up', { max: run.vendorCalls.max }));
  state.left = remainingCandidates(state).filter(({ isLastResort }) => isLastResort);
}

function isTooLong({ failures }: RunState): boolean {
  return failures.length > 0 && failures.every((error) => error.class === 'context_length');
}

function failed(
  state: RunState,
  run: RunContext,
  { clock, breakers, providers }: Pick<RunDeps, 'clock' | 'breakers' | 'providers'>,
): PlanOutcome {
  const { signal, deadline, request, vendorCalls } = run;
  const { failures, emittedText, hasEmittedToolCalls, longest, reasons, notices } = state;
  const error = signal.aborted
    ? CallError.from(signal.reason)
    : finalError({
        failures,
        emittedChars: emittedText.length,
        emittedToolCalls: hasEmittedToolCalls,
        continuing: request.onInterruption === 'fail' ? 'unwanted' : 'wanted',
        deadline: remainingMs(deadline, clock) <= 0 ? 'passed' : 'not_passed',
        coolDownMs({ provider, model }) {
          const known = [...providers.keys()].find((each) => each === provider);
          if (known === undefined || model === undefined) return undefined;
          const { is, retryInMs } = breakers.look({ provider: known, model });
          return is === 'open' ? retryInMs : undefined;
        },
        ...(vendorCalls.left === 0 && { vendorCalls: vendorCalls.max }),
      });
  return {
    is: 'failed',
    error,
    reasons,
    notices,
    partial: emittedText === '' ? longest : emittedText,
  };
}
