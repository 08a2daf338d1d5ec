import type { AskAnswer, AskReport } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { Opinion } from './opinion.ts';
import type { Voice } from './voice.ts';

/** How one question to one of them went. */
export type Reply =
  | (Took & { readonly is: 'answered'; readonly answer: AskAnswer; readonly opinion: Opinion })
  | (Took & { readonly is: 'failed'; readonly error: CallError });

interface Took {
  readonly elapsedMs: number;
  /** Absent where it was not even begun. */
  readonly report?: AskReport;
}

export type Answered = Extract<Reply, { is: 'answered' }>;

/** One of them with all it said. */
export interface Heard {
  readonly voice: Voice;
  readonly first: Reply;
  /** Absent where there was no second round for it. */
  readonly second?: Reply;
}

/** What counts of somebody in the end: the last answer that there is. */
export function lastAnswer({ first, second }: Heard): Answered | undefined {
  return [second, first].find((reply): reply is Answered => reply?.is === 'answered');
}

/** A change of mind, and not of words. */
const CONFIDENCE_STEP = 0.1;

/** Nothing for who was asked once only. */
export function hasChanged({ first, second }: Heard): boolean | undefined {
  if (first.is !== 'answered' || second?.is !== 'answered') return undefined;
  const [a, b] = [first.opinion, second.opinion];
  // Both are rounded to hundredths, and so is their difference.
  const moved = Math.round(Math.abs((a.confidence ?? 0) - (b.confidence ?? 0)) * 100) / 100;
  const isKnown = a.confidence !== undefined && b.confidence !== undefined;
  return a.position !== b.position || (isKnown && moved >= CONFIDENCE_STEP);
}
