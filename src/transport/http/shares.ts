/** Who holds how much of something of which there is only so much: connections, sessions, memory. */
export interface Shares {
  readonly total: number;
  of(principal: string): number;
  /** What this one may hold at most. */
  mostOf(principal: string): number;
  /** `share_full`: there is room, but not for this one. */
  roomFor(principal: string, amount?: number): 'free' | 'share_full' | 'all_taken';
  /** Takes so much, or nothing at all: whether there was room. */
  take(principal: string, amount?: number): boolean;
  give(principal: string, amount?: number): void;
}

const OWNER = 'local';

export function isOwner(principal: string): boolean {
  return principal === OWNER;
}

/** The owner may have all of it; anybody else at most half, so that no client can shut out the others. */
export function createShares(max: number, mayHaveAll = isOwner): Shares {
  const held = new Map<string, number>();
  const half = Math.ceil(max / 2);
  let total = 0;

  function mostOf(principal: string): number {
    return mayHaveAll(principal) ? max : half;
  }

  function roomFor(principal: string, amount = 1): 'free' | 'share_full' | 'all_taken' {
    const isOver = (held.get(principal) ?? 0) + amount > half;
    if (isOver && !mayHaveAll(principal)) return 'share_full';
    return total + amount > max ? 'all_taken' : 'free';
  }

  return {
    get total() {
      return total;
    },
    of: (principal) => held.get(principal) ?? 0,
    mostOf,
    roomFor,
    take(principal, amount = 1) {
      if (roomFor(principal, amount) !== 'free') return false;
      held.set(principal, (held.get(principal) ?? 0) + amount);
      total += amount;
      return true;
    },
    give(principal, amount = 1) {
      const left = (held.get(principal) ?? 0) - amount;
      if (left > 0) held.set(principal, left);
      else held.delete(principal);
      total -= amount;
    },
  };
}
