import type { Clock, Timer } from '#core/clock.ts';

/** A connection, as far as it matters whether somebody is still there. */
export interface Watched {
  /** Grows with whatever the peer sends. */
  readonly bytesRead: number;
  /** Sent, but not yet taken by the system: it has no room, because the peer has not read what came before. */
  readonly backlog: number;
  ping(): void;
  /** Nobody answered for too long. */
  giveUp(): void;
}

export interface KeepaliveLimits {
  readonly pingIntervalMs: number;
  /** How long a ping may stay unanswered. */
  readonly deadAfterMs: number;
}

export interface Keepalive {
  watch(peer: Watched): void;
  forget(peer: Watched): void;
}

interface Pulse {
  pingedAt: number;
  seenBytes: number;
  backlog: number;
  /** When the first ping was sent that nothing has followed. */
  silentSince: number | undefined;
}

// So that a peer is given up at most this part of the shorter time too late.
const LOOKS_PER_TIME = 3;

/**
 * Pings every peer and gives up those that stay silent, with one timer for all. Any byte is a sign of life, and so is a
 * backlog that shrinks: a pong has to wait behind a large message, and a ping behind what is still unread.
 */
export function createKeepalive(clock: Clock, limits: KeepaliveLimits): Keepalive {
  const { pingIntervalMs, deadAfterMs } = limits;
  const lookEveryMs = Math.ceil(Math.min(pingIntervalMs, deadAfterMs) / LOOKS_PER_TIME);
  const pulses = new Map<Watched, Pulse>();
  let timer: Timer | undefined;

  const look = () => {
    const now = clock.monotonic();
    for (const [peer, pulse] of pulses) {
      const { bytesRead, backlog } = peer;
      if (bytesRead !== pulse.seenBytes || backlog < pulse.backlog) pulse.silentSince = undefined;
      pulse.seenBytes = bytesRead;
      pulse.backlog = backlog;
      if (pulse.silentSince !== undefined && now - pulse.silentSince >= deadAfterMs) {
        pulses.delete(peer);
        peer.giveUp();
      } else if (now - pulse.pingedAt >= pingIntervalMs) {
        pulse.pingedAt = now;
        pulse.silentSince ??= now;
        peer.ping();
      }
    }
    timer = pulses.size > 0 ? clock.after(lookEveryMs, look) : undefined;
  };

  return {
    watch(peer) {
      const { bytesRead, backlog } = peer;
      pulses.set(peer, {
        pingedAt: clock.monotonic(),
        seenBytes: bytesRead,
        backlog,
        silentSince: undefined,
      });
      timer ??= clock.after(lookEveryMs, look);
    },
    forget(peer) {
      pulses.delete(peer);
      if (pulses.size > 0) return;
      timer?.stop();
      timer = undefined;
    },
  };
}
