import { hash } from 'node:crypto';
import type { Client } from '#core/stores/clients.ts';
import type { Badge, ClientPlan } from './plan.ts';

export const OWNER_TOKEN = 'owner-token-of-the-simulation';

const SCOPES: Partial<Record<Badge, readonly string[]>> = {
  reader: ['read:*'],
  helper: ['*', 'deny:write'],
  cautious: ['read:*', 'ask:write', 'ask:inquire', 'ask:wonder'],
};

/** Badges whose tokens may be taken away. */
export const TAKEN = ['reader', 'helper', 'cautious'] as const;
export type Taken = (typeof TAKEN)[number];

export function isTaken(badge: Badge): badge is Taken {
  return (TAKEN as readonly Badge[]).includes(badge);
}

export function tokenOf(badge: Badge): string | undefined {
  if (badge === 'none') return undefined;
  return badge === 'owner' ? OWNER_TOKEN : `${badge}-token-of-the-simulation`;
}

/** Clients that the owner has let in. */
export function knownClients(): Client[] {
  return Object.entries(SCOPES).map(([name, scopes]) => ({
    id: `client_${name}`,
    name,
    principal: name,
    tokenSha256: hash('sha256', tokenOf(name as Badge) ?? ''),
    scopes,
    createdAt: 0,
    expiresAt: null,
  }));
}

/**
 * Whether someone with this badge may come in by a transport that looks at it. A token that nobody knows
 * is refused.
 */
export function isWelcome(badge: Badge, needsToken: boolean): boolean {
  if (badge === 'none') return !needsToken;
  return badge === 'owner' ? needsToken : badge !== 'stranger';
}

/**
 * Whom the daemon takes somebody for: whoever needs no token is the owner, unless it shows that of
 * a client.
 */
export function principalOf({ by, badge, protocol }: ClientPlan): string {
  if (by === 'unix') return protocol === 'exai' && badge in SCOPES ? badge : 'owner';
  return badge === 'none' ? 'owner' : badge;
}

const WITH_CONSENT = new Set(['write', 'inquire', 'wonder']);

/** Whether somebody with this name may use the tool only after its user said yes. */
export function needsConsent(principal: string, tool: string): boolean {
  return principal === 'cautious' && WITH_CONSENT.has(tool);
}

export function mayUse(badge: Badge, tool: string, effect: 'reads' | 'changes'): boolean {
  if (badge === 'reader') return effect === 'reads';
  if (badge === 'cautious') return effect === 'reads' || WITH_CONSENT.has(tool);
  return badge !== 'helper' || tool !== 'write';
}
