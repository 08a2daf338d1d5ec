import type { Caller } from '#core/call.ts';

/** Whoever owns the machine sees everything; a client with a token sees what is its own. */
export function ownsMachine({ principal }: Pick<Caller, 'principal'>): boolean {
  return principal === 'local';
}

export const LOG_IS_LOCAL = 'The log of the daemon is shown to callers on its own machine only.';
