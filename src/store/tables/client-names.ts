import type { UsageRecord } from '#core/stores/calls.ts';
import { utcDay } from '#core/time/utc-day.ts';

/** The name under which the usage of a client is summed up. */
export type ClientNames = (usage: UsageRecord) => string;

/** More programs than one user has; a caller that invents names gets `OTHER` for the rest. */
const MAX_NAMES_PER_DAY = 64;
export const OTHER_CLIENTS = 'other';

/**
 * Bounds the daily totals: they have a row for each client, and clients name themselves. So many
 * names of each principal are kept apart in a day, by each daemon.
 */
export function createClientNames(): ClientNames {
  let day = '';
  const namesByPrincipal = new Map<string, Set<string>>();
  return ({ at, principal, client = '' }) => {
    if (client === '') return '';
    const today = utcDay(at);
    if (today !== day) {
      day = today;
      namesByPrincipal.clear();
    }
    let names = namesByPrincipal.get(principal);
    if (!names) namesByPrincipal.set(principal, (names = new Set()));
    if (names.size < MAX_NAMES_PER_DAY) names.add(client);
    return names.has(client) ? client : OTHER_CLIENTS;
  };
}
