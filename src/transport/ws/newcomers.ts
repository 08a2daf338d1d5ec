import { THIS_MACHINE } from '../http/peer.ts';

/** A connection whose caller is not known yet. */
export interface Newcomer {
  /** See `peerOf`. */
  readonly peer: string;
  /** Whether it may be ended for another: not while its caller is being identified. */
  readonly isEvictable: boolean;
  evict(): void;
}

/** The places of connections whose callers are not known yet. */
export interface Newcomers {
  readonly size: number;
  /** Whether there was room, or room could be made. */
  admit(newcomer: Newcomer): boolean;
  leave(newcomer: Newcomer): void;
}

/**
 * A peer that is not of this machine has at most half of the places. Where no place is left, the oldest newcomer goes: of the same peer when
 * that one has its share, else of the peer that has the most.
 */
export function createNewcomers(max: number): Newcomers {
  /** The oldest comes first. */
  const all = new Set<Newcomer>();
  const byPeer = new Map<string, number>();
  const most = Math.ceil(max / 2);

  function leave(newcomer: Newcomer): void {
    if (!all.delete(newcomer)) return;
    const left = (byPeer.get(newcomer.peer) ?? 1) - 1;
    if (left > 0) byPeer.set(newcomer.peer, left);
    else byPeer.delete(newcomer.peer);
  }

  function greediest(): string | undefined {
    let found: string | undefined;
    let held = 0;
    for (const [peer, count] of byPeer) if (count > held) [found, held] = [peer, count];
    return found;
  }

  function evictOldest(peer: string | undefined): boolean {
    for (const newcomer of all) {
      if (newcomer.peer !== peer || !newcomer.isEvictable) continue;
      leave(newcomer);
      newcomer.evict();
      return true;
    }
    return false;
  }

  function makeRoom(peer: string): boolean {
    if (peer !== THIS_MACHINE && (byPeer.get(peer) ?? 0) >= most) return evictOldest(peer);
    return all.size < max || evictOldest(greediest());
  }

  return {
    get size() {
      return all.size;
    },
    admit(newcomer) {
      const { peer } = newcomer;
      if (!makeRoom(peer)) return false;
      all.add(newcomer);
      byPeer.set(peer, (byPeer.get(peer) ?? 0) + 1);
      return true;
    },
    leave,
  };
}
