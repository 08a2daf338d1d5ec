import type { ClientSummary } from '#core/auth/access-admin.ts';
import type { Client } from '#core/stores/clients.ts';

/**
 * All tokens of one client, oldest first: a rotated token stays valid beside the new one for a
 * grace period.
 */
export type Tokens = readonly [Client, ...Client[]];

/**
 * Groups tokens by client. A name that was removed and added again belongs to several clients, each
 * with its own principal.
 */
export function groupByClient(clients: readonly Client[]): readonly Tokens[] {
  const byPrincipal = new Map<string, Tokens>();
  for (const client of clients) {
    const earlier = byPrincipal.get(client.principal);
    byPrincipal.set(client.principal, earlier ? [...earlier, client] : [client]);
  }
  return [...byPrincipal.values()];
}

/** All clients that had this name, ordered by the time they were added. */
export function clientsNamed(clients: readonly Client[], name: string): readonly Tokens[] {
  return groupByClient(clients.filter((client) => client.name === name)).toSorted(
    (a, b) => latest(a).createdAt - latest(b).createdAt,
  );
}

export function latest(tokens: Tokens): Client {
  return tokens.at(-1) ?? tokens[0];
}

export function isOver(tokens: Tokens, nowMs: number): boolean {
  return tokens.every(({ expiresAt }) => expiresAt !== null && expiresAt <= nowMs);
}

/**
 * The time since which the client exists. A rotated token was valid until the next one was created,
 * or longer; a client that was removed and added again is new.
 */
function liveSince(tokens: Tokens): number {
  let since = latest(tokens).createdAt;
  for (const { createdAt, expiresAt } of tokens.toReversed().slice(1)) {
    if (expiresAt === null || expiresAt < since) break;
    since = createdAt;
  }
  return since;
}

export function toSummary(tokens: Tokens): ClientSummary {
  const { name, principal, scopes, expiresAt } = latest(tokens);
  const created = iso(liveSince(tokens));
  return {
    name,
    principal,
    scopes,
    created,
    ...(expiresAt !== null && { expires: iso(expiresAt) }),
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
