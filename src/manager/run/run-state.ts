import type { AskListener, Seam } from '#core/llm/ask.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Citation } from '#core/llm/chat.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';

/** The state of a run. */
export interface RunState {
  readonly plan: AskPlan;
  /** Remaining candidates; undefined until the first has failed. */
  left: readonly PlannedModel[] | undefined;
  /** Text emitted to the client: never repeated, never taken back. */
  emittedText: string;
  /** Whether part of a tool call was emitted, which no other model can continue. */
  hasEmittedToolCalls: boolean;
  /** The longest partial answer that was not emitted. */
  longest: string;
  citations: readonly Citation[];
  readonly seams: Seam[];
  readonly failures: CallError[];
  /** Why candidates were skipped or failed. */
  readonly reasons: Reason[];
  readonly notices: Notice[];
}

export function createRunState(plan: AskPlan): RunState {
  return {
    plan,
    left: undefined,
    emittedText: '',
    hasEmittedToolCalls: false,
    longest: '',
    citations: [],
    seams: [],
    failures: [],
    reasons: [],
    notices: [],
  };
}

export function emitText(state: RunState, listener: AskListener, text: string): void {
  if (text === '' || !listener.onText) return;
  state.emittedText += text;
  listener.onText(text);
}

/** Records that a candidate was skipped without a call. */
export function recordSkip(state: RunState, error: CallError): void {
  state.failures.push(error);
  const { class: errorClass, provider, model, message, reason: why } = error;
  state.reasons.push(
    reason('passed_over', {
      class: errorClass,
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      message,
      ...(why && { reason: why }),
    }),
  );
}

/** Adds notices without duplicates. */
export function addNotices(state: RunState, notices: readonly Notice[]): void {
  if (notices.length === 0) return;
  const known = new Set(state.notices.map((each) => JSON.stringify(each)));
  for (const notice of notices) {
    const key = JSON.stringify(notice);
    if (!known.has(key)) state.notices.push(notice);
    known.add(key);
  }
}

export function addCitations(state: RunState, more: readonly Citation[]): void {
  const urls = new Set(state.citations.map(({ url }) => url));
  state.citations = [...state.citations, ...more.filter(({ url }) => !urls.has(url))];
}

/** The candidates that were not tried yet. */
export function remainingCandidates(state: RunState): readonly PlannedModel[] {
  return (state.left ??= state.plan.candidates.slice(1));
}

export function takeNextCandidate(state: RunState): PlannedModel | undefined {
  const [next, ...left] = remainingCandidates(state);
  state.left = left;
  return next;
}

/** The candidates left after a failure. The extractive fallback cannot continue an emitted text. */
export function remainingAfter(
  state: RunState,
  { provider }: PlannedModel,
  skip: 'model' | 'provider',
): readonly PlannedModel[] {
  return remainingCandidates(state).filter(
    (each) =>
      (skip === 'model' || each.provider !== provider) &&
      !(state.emittedText !== '' && each.isLastResort),
  );
}

/** Whether a candidate beside the extractive fallback is left. */
export function hasFallbackLeft({ plan, left }: RunState): boolean {
  if (left === undefined) return plan.hasFallback;
  return left.some(({ isLastResort }) => !isLastResort);
}
