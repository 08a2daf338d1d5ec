import type { TokenAuthenticator } from '#auth/authenticator.ts';
import { every, type Clock, type Timer } from '#core/time/clock.ts';

/** After another daemon of the store revoked a token, it is good for so long here, if the store can be read. */
const REFRESH_MS = 4000;

/** Reads again and again which tokens other daemons revoked or replaced. */
export function watchSharedTokens(
  authenticator: Pick<TokenAuthenticator, 'refresh'>,
  clock: Clock,
): Timer {
  return every(clock, REFRESH_MS, () => authenticator.refresh().catch(() => undefined));
}
