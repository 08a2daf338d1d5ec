import type { Asks } from './client-protocols.ts';

/** A call as a client made it. */
export interface MadeCall {
  readonly tool: string;
  readonly args: object;
}

/** What clients could come by that belongs to others. */
export interface SharedIds {
  readonly states: { readonly badge: string; readonly call: MadeCall; readonly asks: Asks }[];
  readonly sessions: { readonly badge: string; readonly id: string }[];
}

export function createSharedIds(): SharedIds {
  return { states: [], sessions: [] };
}
