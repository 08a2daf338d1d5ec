import type { ClientSummary } from '#core/access-admin.ts';
import type { Client } from '#core/stores/clients.ts';

/** Every token of one client, oldest first: a rotated token stays for its grace period beside the new one. */
export type Tokens = readonly [Client, ...Client[]];

/** A name that was removed and added again stands for several clients, each with a principal of its own. */
export function groupByClient(clients: readonly Client[]): readonly Tokens[] {
  const byPrincipal = new Map<string, Tokens>();
  for (const client of clients) {
    const earlier = byPrincipal.get(client.principal);
    byPrincipal.set(client.principal, earlier ? [...earlier, client] : [client]);
  }
  return [...byPrincipal.values()];
}

/** All clients that had a name, the one that was added last at the end. */
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

/** A token that was replaced was good until the next one came, or longer; a client that was removed and came back is new. */
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
