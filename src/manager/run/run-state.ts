import type { AskListener, Seam } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { Citation } from '#core/chat.ts';
import type { Notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Plan, PlannedModel } from '../plan.ts';

/** How far a run has come. */
export interface RunState {
  readonly plan: Plan;
  /** Who is still to be asked; nobody looks at it before the first has failed. */
  left: readonly PlannedModel[] | undefined;
  /** What the reader of the answer has: never told twice, never taken back. */
  told: string;
  /** Whether part of a tool call was told: nobody else can go on with it. */
  hasToldCalls: boolean;
  /** The most that ever came of an answer that nobody has seen. */
  longest: string;
  citations: readonly Citation[];
  readonly seams: Seam[];
  readonly failures: CallError[];
  /** Why it went from one to the next. */
  readonly reasons: Reason[];
  readonly notices: Notice[];
}

export function createRunState(plan: Plan): RunState {
  return {
    plan,
    left: undefined,
    told: '',
    hasToldCalls: false,
    longest: '',
    citations: [],
    seams: [],
    failures: [],
    reasons: [],
    notices: [],
  };
}

export function tell(state: RunState, listener: AskListener, text: string): void {
  if (text === '' || !listener.onText) return;
  state.told += text;
  listener.onText(text);
}

/** Somebody was not even asked. */
export function passOver(state: RunState, error: CallError): void {
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

/** Adds those that are not there yet. */
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

/** Who is still to be asked. */
export function queueOf(state: RunState): readonly PlannedModel[] {
  return (state.left ??= state.plan.candidates.slice(1));
}

export function nextOf(state: RunState): PlannedModel | undefined {
  const [next, ...left] = queueOf(state);
  state.left = left;
  return next;
}

/** Who is left when one has failed. Nobody goes on with an answer by quoting what was given. */
export function leftAfter(
  state: RunState,
  { provider }: PlannedModel,
  skip: 'model' | 'provider',
): readonly PlannedModel[] {
  return queueOf(state).filter(
    (each) =>
      (skip === 'model' || each.provider !== provider) && !(state.told !== '' && each.isLastResort),
  );
}

/** Whether a model beside the last resort could be asked instead. */
export function othersIn({ plan, left }: RunState): 'yes' | 'no' {
  if (left === undefined) return plan.others;
  return left.some(({ isLastResort }) => !isLastResort) ? 'yes' : 'no';
}
