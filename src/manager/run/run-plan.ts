import type { AskedBy, AskListener, AskRequest, Seam } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { Citation } from '#core/chat.ts';
import { sleepWhole, type Clock } from '#core/clock.ts';
import { remainingMs, type Deadline } from '#core/deadline.ts';
import type { Cancel } from '#core/http.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Patience, Provider, ProviderId } from '#core/provider.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import type { Budgets } from '../budget-words.ts';
import type { Fitted } from '../context/fitted.ts';
import type { Plan, PlannedModel } from '../plan.ts';
import type { NextStep } from './after-failure.ts';
import type { Once } from './ask-once.ts';
import { attempt, type Answered, type Turn } from './attempt.ts';
import { finalError } from './final-error.ts';
import type { Ledger } from './ledger.ts';
import {
  createRunState,
  leftAfter,
  nextOf,
  passOver,
  queueOf,
  type RunState,
} from './run-state.ts';

export interface RunDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  readonly patience: Patience;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How an answer compares with what was expected of it: its tokens, and the time to its first word. */
  learn(candidate: PlannedModel, once: Once, estimatedTokens: number): void;
}

export interface Run {
  readonly plan: Plan;
  readonly request: AskRequest;
  readonly by: AskedBy;
  readonly deadline: Deadline;
  readonly signal: Cancel;
  readonly listener: AskListener;
  readonly ledger: Ledger;
  /** Takes out of a message what this caller must not know, such as where a provider is. */
  readonly conceal: (text: string) => string;
  /** Whether models that cost nothing are asked when the money is spent. */
  readonly whenSpent: 'step_down' | 'refuse';
  /** The prompt for one of them; for a window other than the catalogue's, where its vendor named one. */
  fit(candidate: PlannedModel, contextTokens: number | undefined): Promise<Fitted>;
}

interface Story {
  readonly reasons: readonly Reason[];
  readonly notices: readonly Notice[];
}

export type Ran =
  | (Story &
      Omit<Answered, 'do'> & {
        readonly is: 'answered';
        readonly citations: readonly Citation[];
        readonly seams: readonly Seam[];
      })
  | (Story & { readonly is: 'failed'; readonly error: CallError; readonly partial: string });

/** Where a vendor refuses a prompt without naming its window, it is made this much of what it was. */
const SHRINK = 0.7;

/** Asks the candidates of a plan, one after the other, until one has answered. */
export async function runPlan(run: Run, deps: RunDeps): Promise<Ran> {
  const state = createRunState(run.plan);
  let candidate: PlannedModel | undefined = run.plan.first;
  for (; candidate; candidate = nextOf(state)) {
    // What is too long for everybody is told so: a quotation would hide it.
    if (candidate.isLastResort && isTooLong(state)) break;
    const turn: Turn = { candidate, tries: 1, hasShrunk: false, contextTokens: undefined };
    const end = await askOne(turn, state, run, deps);
    if (end.do === 'answer') {
      const { do: _, ...answered } = end;
      const { citations, seams, reasons, notices } = state;
      return { is: 'answered', ...answered, citations, seams, reasons, notices };
    }
    if (end.do === 'stop') break;
    state.left = leftAfter(state, candidate, end.skip);
  }
  return failed(state, run, deps.clock);
}

type EndOfTurn = Answered | Extract<NextStep, { do: 'next' | 'stop' }>;

/** One candidate, as often as it makes sense. */
async function askOne(turn: Turn, state: RunState, run: Run, deps: RunDeps): Promise<EndOfTurn> {
  for (;;) {
    if (run.signal.aborted) return { do: 'stop' };
    if (remainingMs(run.deadline, deps.clock) <= 0) {
      passOver(state, codedError('timeout', reason('call_deadline_passed')));
      return { do: 'stop' };
    }
    let step: Answered | NextStep;
    try {
      step = await attempt(turn, state, run, deps);
    } catch (thrown) {
      const error = CallError.from(thrown);
      passOver(state, error);
      if (error.class !== 'budget' || run.whenSpent === 'refuse') return { do: 'stop' };
      state.left = queueOf(state).filter(({ maxCostMicroUsd }) => maxCostMicroUsd === 0);
      return { do: 'next', skip: 'model' };
    }
    switch (step.do) {
      case 'retry':
        turn.tries += 1;
        await sleepWhole(deps.clock, step.afterMs, run.signal);
        break;
      case 'shrink':
        turn.hasShrunk = true;
        turn.contextTokens = step.contextTokens ?? Math.floor(turn.candidate.roomTokens * SHRINK);
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

function failed(state: RunState, { signal, deadline, request }: Run, clock: Clock): Ran {
  const { failures, told, hasToldCalls, longest, reasons, notices } = state;
  const error = signal.aborted
    ? CallError.from(signal.reason)
    : finalError({
        failures,
        toldChars: told.length,
        toldCalls: hasToldCalls ? 'yes' : 'no',
        goingOn: request.whenBroken === 'fail' ? 'unwanted' : 'wanted',
        deadline: remainingMs(deadline, clock) <= 0 ? 'passed' : 'not_passed',
      });
  return { is: 'failed', error, reasons, notices, partial: told === '' ? longest : told };
}
