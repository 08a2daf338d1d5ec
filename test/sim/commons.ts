import type { Asks } from './speech.ts';

/** A call as a client made it. */
export interface MadeCall {
  readonly tool: string;
  readonly args: object;
}

/** What clients could come by that belongs to others. */
export interface Commons {
  readonly states: { readonly badge: string; readonly call: MadeCall; readonly asks: Asks }[];
  readonly sessions: { readonly badge: string; readonly id: string }[];
}

export function createCommons(): Commons {
  return { states: [], sessions: [] };
}
