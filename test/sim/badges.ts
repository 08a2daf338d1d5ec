import { hash } from 'node:crypto';
import type { Client } from '#core/stores/clients.ts';
import type { Badge } from './plan.ts';

export const OWNER_TOKEN = 'owner-token-of-the-simulation';

const SCOPES: Partial<Record<Badge, readonly string[]>> = {
  reader: ['read:*'],
  helper: ['*', 'deny:write'],
};

export function tokenOf(badge: Badge): string | undefined {
  if (badge === 'none') return undefined;
  return badge === 'owner' ? OWNER_TOKEN : `${badge}-token-of-the-simulation`;
}

/** Clients that the owner has let in. */
export function knownClients(): Client[] {
  return Object.entries(SCOPES).map(([name, scopes]) => ({
    id: `client_${name}`,
    name,
    tokenSha256: hash('sha256', tokenOf(name as Badge) ?? ''),
    scopes,
    createdAt: 0,
    expiresAt: null,
  }));
}

/** Whether someone with this badge may come in by a door that looks at it. A token that nobody knows is refused. */
export function isWelcome(badge: Badge, needsToken: boolean): boolean {
  if (badge === 'none') return !needsToken;
  return badge === 'owner' ? needsToken : badge !== 'stranger';
}

export function mayUse(badge: Badge, tool: string, effect: 'reads' | 'changes'): boolean {
  if (badge === 'reader') return effect === 'reads';
  return badge !== 'helper' || tool !== 'write';
}
