import { THIS_MACHINE } from '../http/peer-address.ts';

/** A connection whose caller is not authenticated yet. */
export interface PendingConnection {
  /** See `peerOf`. */
  readonly peer: string;
  /** Whether it may be closed for another one; false during authentication. */
  readonly isEvictable: boolean;
  evict(): void;
}

/** The limited set of connections before authentication. */
export interface PendingConnections {
  readonly size: number;
  /** False if there is no room and none could be made. */
  admit(connection: PendingConnection): boolean;
  leave(connection: PendingConnection): void;
}

/**
 * A remote peer has at most half of the places. If no place is left, the oldest connection is
 * closed: of the same peer if that has used its share, otherwise of the peer with the most
 * connections.
 */
export function createPendingConnections(max: number): PendingConnections {
  /** Oldest first. */
  const all = new Set<PendingConnection>();
  const byPeer = new Map<string, number>();
  const most = Math.ceil(max / 2);

  function leave(connection: PendingConnection): void {
    if (!all.delete(connection)) return;
    const left = (byPeer.get(connection.peer) ?? 1) - 1;
    if (left > 0) byPeer.set(connection.peer, left);
    else byPeer.delete(connection.peer);
  }

  function greediest(): string | undefined {
    let found: string | undefined;
    let held = 0;
    for (const [peer, count] of byPeer) if (count > held) [found, held] = [peer, count];
    return found;
  }

  function evictOldest(peer: string | undefined): boolean {
    for (const connection of all) {
      if (connection.peer !== peer || !connection.isEvictable) continue;
      leave(connection);
      connection.evict();
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
    admit(connection) {
      const { peer } = connection;
      if (!makeRoom(peer)) return false;
      all.add(connection);
      byPeer.set(peer, (byPeer.get(peer) ?? 0) + 1);
      return true;
    },
    leave,
  };
}
