import type { Renderer } from './coded.ts';
import type { Reason } from './reasons.ts';

/** A clause as a whole sentence; a text that ends one already stays as it is. */
export function asSentence(clause: string): string {
  return /[.!?…]$/.test(clause) ? clause : `${clause}.`;
}

/** Reasons as sentences in one line. */
export function sentencesOf(reasons: readonly Reason[], render: Pick<Renderer, 'reason'>): string {
  return reasons.map((each) => asSentence(render.reason(each))).join(' ');
}
