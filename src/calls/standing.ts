import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import { LOCAL } from './doorman.ts';

/**
 * Who a caller of some time ago is today: with the rights that it has now, by whichever of its tokens. Nothing when none of them
 * is good any more.
 */
export type Standing = (caller: Caller) => Promise<Caller | undefined>;

export function createStanding(
  clients: Pick<ClientStore, 'list'>,
  clock: Pick<Clock, 'now'>,
): Standing {
  return async ({ credential, ...caller }) => {
    // The owner stays the owner, with another token as without one.
    if (caller.principal === LOCAL.principal || credential === undefined) return caller;
    const now = clock.now();
    const client = (await clients.list()).find(
      ({ principal, expiresAt }) => principal === caller.principal && (expiresAt ?? Infinity) > now,
    );
    return client && { ...caller, scopes: client.scopes, credential: client.id };
  };
}
