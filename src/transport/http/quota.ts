import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
/** A limited resource (connections, sessions, memory) and how much of it each principal uses. */
export interface Quota {
  readonly total: number;
  usedBy(principal: string): number;
  /** The limit of one principal. */
  limitOf(principal: string): number;
  /** `share_full`: the principal's own limit is reached. */
  check(principal: string, amount?: number): 'free' | 'share_full' | 'all_taken';
  /** Takes the amount; false, with nothing taken, if there is no room. */
  acquire(principal: string, amount?: number): boolean;
  release(principal: string, amount?: number): void;
}

export function isOwnerPrincipal(principal: string): boolean {
  return principal === OWNER_PRINCIPAL;
}

/**
 * Creates a quota. The owner may use all of it, others at most half, so that no client can exclude
 * the others.
 */
export function createQuota(max: number, mayHaveAll = isOwnerPrincipal): Quota {
  const used = new Map<string, number>();
  const half = Math.ceil(max / 2);
  let total = 0;

  function limitOf(principal: string): number {
    return mayHaveAll(principal) ? max : half;
  }

  function check(principal: string, amount = 1): 'free' | 'share_full' | 'all_taken' {
    const isOver = (used.get(principal) ?? 0) + amount > half;
    if (isOver && !mayHaveAll(principal)) return 'share_full';
    return total + amount > max ? 'all_taken' : 'free';
  }

  return {
    get total() {
      return total;
    },
    usedBy: (principal) => used.get(principal) ?? 0,
    limitOf,
    check,
    acquire(principal, amount = 1) {
      if (check(principal, amount) !== 'free') return false;
      used.set(principal, (used.get(principal) ?? 0) + amount);
      total += amount;
      return true;
    },
    release(principal, amount = 1) {
      const left = (used.get(principal) ?? 0) - amount;
      if (left > 0) used.set(principal, left);
      else used.delete(principal);
      total -= amount;
    },
  };
}
