import type { AskListener, Seam } from '#core/llm/ask.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Citation, TokenUsage } from '#core/llm/chat.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { ProviderId, VendorCalls } from '#core/llm/provider.ts';
import type { AcquireMode, Breakers } from '#resilience/breaker-types.ts';
import type { AskPlan, PlannedModel } from '../route/plan.ts';
import type { SkippedCandidates } from './after-failure.ts';
import type { AnsweredAttempt } from './attempt.ts';

/** The state of a run. */
export interface RunState {
  readonly plan: AskPlan;
  /** Remaining candidates; undefined until the first has failed. */
  left: readonly PlannedModel[] | undefined;
  /**
   * Text emitted to the client: never repeated, never taken back. Or text that is kept for a client that
   * wants the whole answer, and has seen nothing of it.
   */
  emittedText: string;
  /** What the model that was cut wrote after the emitted text: its last word. */
  heldBack: string;
  /** The usage of the answer as the client counts it: see `addDelivered`. */
  delivered: TokenUsage | undefined;
  /** Whether a tool call, or part of one, was emitted, which no other model can continue. */
  hasEmittedToolCalls: boolean;
  /** The tool whose call broke off, or was unreadable, in the last attempt. */
  lostCall: string | undefined;
  /** An answer whose tool calls are unreadable; used when no other attempt succeeds. */
  unreadableAnswer: AnsweredAttempt | undefined;
  /** Models that had nothing to add to the emitted text, with its length at that time. */
  nothingToAdd: readonly { readonly candidate: PlannedModel; readonly chars: number }[];
  /** The emitted text as an answer that may be complete; used when no other attempt succeeds. */
  acceptedAtEnd: AnsweredAttempt | undefined;
  /** The longest partial answer that was not emitted. */
  longest: string;
  citations: readonly Citation[];
  readonly seams: Seam[];
  readonly failures: CallError[];
  /** Providers whose queue was waited in for a short time; then another provider was tried. */
  readonly busyProviders: Set<ProviderId>;
  /** Candidates that an open breaker refused and that may be forced through it. */
  refused: PlannedModel[];
  /** How breakers are asked: usually, or by force when no other candidate is left. */
  acquire: AcquireMode;
  /** Why candidates were skipped or failed. */
  readonly reasons: Reason[];
  readonly notices: Notice[];
}

export function createRunState(plan: AskPlan): RunState {
  return {
    plan,
    left: undefined,
    emittedText: '',
    heldBack: '',
    delivered: undefined,
    hasEmittedToolCalls: false,
    lostCall: undefined,
    unreadableAnswer: undefined,
    nothingToAdd: [],
    acceptedAtEnd: undefined,
    longest: '',
    citations: [],
    seams: [],
    failures: [],
    busyProviders: new Set(),
    refused: [],
    acquire: 'usual',
    reasons: [],
    notices: [],
  };
}

/** Whether the ask has made as many requests to vendors as it may. */
export function areCallsUsedUp({ vendorCalls }: { readonly vendorCalls: VendorCalls }): boolean {
  return vendorCalls.left === 0;
}

export function emitText(state: RunState, listener: AskListener, text: string): void {
  // Of a caller without a listener only a stream for a whole answer is kept (stream-attempt.ts).
  if (text === '' || (!listener.onText && state.emittedText === '')) return;
  state.emittedText += text;
  listener.onText?.(text);
}

/** Drops a text that broke off and that nothing continues, if the caller has not seen it. */
export function dropUnseen(state: RunState, listener: AskListener): void {
  if (listener.onText) return;
  state.emittedText = '';
  state.heldBack = '';
  state.seams.length = 0;
}

/** Emits the end of an interrupted text, which no model continues. */
export function emitHeldBack(state: RunState, listener: AskListener): void {
  const text = state.heldBack;
  state.heldBack = '';
  emitText(state, listener, text);
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
  if (more.length === 0) return;
  const urls = new Set(state.citations.map(({ url }) => url));
  state.citations = [...state.citations, ...more.filter(({ url }) => !urls.has(url))];
}

/** The candidates that were not tried yet. */
export function remainingCandidates(state: RunState): readonly PlannedModel[] {
  return (state.left ??= state.plan.candidates.slice(1));
}

/** The budget is used up: only free models are left. */
export function keepFreeCandidates(state: RunState): void {
  state.left = remainingCandidates(state).filter(({ maxCostMicroUsd }) => maxCostMicroUsd === 0);
}

export function takeNextCandidate(state: RunState): PlannedModel | undefined {
  const [next, ...left] = remainingCandidates(state);
  state.left = left;
  return next;
}

/** The candidates left after a failure. The extractive fallback cannot continue an emitted text. */
export function remainingAfter(
  state: RunState,
  candidate: PlannedModel,
  skip: SkippedCandidates,
): readonly PlannedModel[] {
  const left = remainingCandidates(state).filter(
    ({ isLastResort }) => !(state.emittedText !== '' && isLastResort),
  );
  const isOfProvider = ({ provider }: PlannedModel) => provider === candidate.provider;
  switch (skip) {
    case 'model':
      return left;
    case 'provider':
      return left.filter((each) => !isOfProvider(each));
    case 'others_first':
    case 'until_others_tried':
      return [
        ...left.filter((each) => !isOfProvider(each) && !each.isLastResort),
        ...(skip === 'others_first' ? [] : [candidate]),
        ...left.filter(isOfProvider),
        ...left.filter(({ isLastResort }) => isLastResort),
      ];
  }
}

/** Whether a candidate beside the extractive fallback is left. */
export function hasFallbackLeft({ plan, left }: RunState): boolean {
  if (left === undefined) return plan.hasFallback;
  return left.some(({ isLastResort }) => !isLastResort);
}

/**
 * Whether another provider may have a free slot. Not for a provider that was waited for already:
 * all others were tried since.
 */
export function hasOtherQueue(
  { plan, left, busyProviders }: RunState,
  { provider }: PlannedModel,
  breakers: Pick<Breakers, 'look'>,
): boolean {
  if (busyProviders.has(provider)) return false;
  if (left === undefined) return plan.hasOtherProvider;
  return left.some(
    ({ isLastResort, entry }) =>
      !isLastResort &&
      entry.provider !== provider &&
      breakers.look({ provider: entry.provider, model: entry.id }).is !== 'open',
  );
}
