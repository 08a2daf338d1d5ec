import type { Clock, Timer } from '#core/time/clock.ts';

/** A connection that is checked with pings. */
export interface KeepalivePeer {
  /** Grows with every byte from the peer. */
  readonly bytesRead: number;
  /** Bytes in the send buffer, because the peer does not read. */
  readonly backlog: number;
  ping(): void;
  /** The peer did not answer for too long. */
  giveUp(): void;
}

export interface KeepaliveLimits {
  readonly pingIntervalMs: number;
  /** Time limit for the answer to a ping. */
  readonly deadAfterMs: number;
}

export interface Keepalive {
  watch(peer: KeepalivePeer): void;
  forget(peer: KeepalivePeer): void;
}

interface PeerState {
  pingedAt: number;
  seenBytes: number;
  backlog: number;
  /** Time of the first unanswered ping. */
  silentSince: number | undefined;
}

// Checks per interval, so that a dead peer is detected with little delay.
const CHECKS_PER_INTERVAL = 3;

/**
 * Pings every peer and gives up silent ones, with one timer for all. Any byte counts as a sign of
 * life, and so does a shrinking backlog: a pong may wait behind a large message, and a ping behind
 * unread data.
 */
export function createKeepalive(clock: Clock, limits: KeepaliveLimits): Keepalive {
  const { pingIntervalMs, deadAfterMs } = limits;
  const checkEveryMs = Math.ceil(Math.min(pingIntervalMs, deadAfterMs) / CHECKS_PER_INTERVAL);
  const states = new Map<KeepalivePeer, PeerState>();
  let timer: Timer | undefined;

  const check = () => {
    const now = clock.monotonic();
    for (const [peer, state] of states) {
      const { bytesRead, backlog } = peer;
      if (bytesRead !== state.seenBytes || backlog < state.backlog) state.silentSince = undefined;
      state.seenBytes = bytesRead;
      state.backlog = backlog;
      if (state.silentSince !== undefined && now - state.silentSince >= deadAfterMs) {
        states.delete(peer);
        peer.giveUp();
      } else if (now - state.pingedAt >= pingIntervalMs) {
        state.pingedAt = now;
        state.silentSince ??= now;
        peer.ping();
      }
    }
    timer = states.size > 0 ? clock.after(checkEveryMs, check) : undefined;
  };

  return {
    watch(peer) {
      const { bytesRead, backlog } = peer;
      states.set(peer, {
        pingedAt: clock.monotonic(),
        seenBytes: bytesRead,
        backlog,
        silentSince: undefined,
      });
      timer ??= clock.after(checkEveryMs, check);
    },
    forget(peer) {
      states.delete(peer);
      if (states.size > 0) return;
      timer?.stop();
      timer = undefined;
    },
  };
}
