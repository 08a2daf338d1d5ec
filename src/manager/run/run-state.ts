import type { AskListener, Seam } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { Citation } from '#core/chat.ts';
import type { PlannedModel } from '../plan.ts';

/** How far a run has come. */
export interface RunState {
  /** Who is still to be asked. */
  queue: readonly PlannedModel[];
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
  readonly because: string[];
  readonly notices: string[];
}

export function createRunState(queue: readonly PlannedModel[]): RunState {
  return {
    queue,
    told: '',
    hasToldCalls: false,
    longest: '',
    citations: [],
    seams: [],
    failures: [],
    because: [],
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
  state.because.push(error.message);
}

export function addNotices(state: RunState, notices: readonly string[]): void {
  for (const notice of notices) if (!state.notices.includes(notice)) state.notices.push(notice);
}

export function addCitations(state: RunState, more: readonly Citation[]): void {
  const urls = new Set(state.citations.map(({ url }) => url));
  state.citations = [...state.citations, ...more.filter(({ url }) => !urls.has(url))];
}

/** Who is left when one has failed. Nobody goes on with an answer by quoting what was given. */
export function leftAfter(
  { queue, told }: RunState,
  { provider }: PlannedModel,
  skip: 'model' | 'provider',
): readonly PlannedModel[] {
  return queue.filter(
    (each) =>
      (skip === 'model' || each.provider !== provider) && !(told !== '' && each.isLastResort),
  );
}

/** Whether a model beside the last resort could be asked instead. */
export function othersIn({ queue }: RunState): 'yes' | 'no' {
  return queue.some(({ isLastResort }) => !isLastResort) ? 'yes' : 'no';
}
