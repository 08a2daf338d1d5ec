import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Caller } from '#core/calls/call.ts';

/**
 * Whether the caller is the owner, who sees everything; a client with a token sees only what is its
 * own, and so does an agent of the owner.
 */
export function isMachineOwner({ principal, agent }: Pick<Caller, 'principal' | 'agent'>): boolean {
  return principal === OWNER_PRINCIPAL && agent === undefined;
}

export const LOG_IS_LOCAL = 'The log of the daemon is shown to callers on its own machine only.';
