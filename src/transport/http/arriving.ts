import type { Clock } from '#core/clock.ts';
import { isSlow, startPace, touchPace, type Pace } from './pace.ts';
import { THIS_MACHINE } from './peer.ts';
import { createShares } from './shares.ts';

/** Whoever sends a body, a frame or a line in parts. */
export interface Sender {
  readonly principal: string;
  /** See `peerOf`. */
  readonly peer: string;
  /** Bytes received from it so far; they may count more than this message. */
  received(): number;
  /** It sends so slowly that its memory is given to others: what has come is to be thrown away. */
  cut(): void;
}

/** What one sender holds. */
export interface Holding {
  /** Takes so many bytes more, or none: whether there is room. */
  take(bytes: number): boolean;
  /** Gives everything back: the message is complete, or given up. */
  release(): void;
}

/** The memory of all messages that have arrived in part, over all doors. */
export interface Arriving {
  readonly totalBytes: number;
  hold(sender: Sender): Holding;
}

export interface ArrivingOptions {
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A sender was cut to make room. */
  readonly onCut?: () => void;
}

export const MAX_ARRIVING_BYTES = 256 * 1024 * 1024;
/** How many senders are measured before one that needs room is refused. */
const MAX_MEASURED = 256;

interface Held {
  readonly sender: Sender;
  bytes: number;
  pace: Pace;
}

/**
 * The owner may hold all of it, any other principal half, and so may any peer that is not of this machine. When there is no room, senders
 * that hardly make progress are cut; those that do are never.
 */
export function createArriving({ maxBytes, clock, onCut }: ArrivingOptions): Arriving {
  const byPrincipal = createShares(maxBytes);
  const byPeer = createShares(maxBytes, (peer) => peer === THIS_MACHINE);
  /** Those measured longest ago come first. */
  const holders = new Set<Held>();

  /** Whose bytes stand in the way of more, if anybody's. */
  function blockedBy({ principal, peer }: Sender, bytes: number) {
    if (byPrincipal.roomFor(principal, bytes) === 'share_full') return 'principal';
    if (byPeer.roomFor(peer, bytes) === 'share_full') return 'peer';
    return byPrincipal.total + bytes > maxBytes ? 'all' : undefined;
  }

  function release(held: Held): void {
    if (!holders.delete(held)) return;
    byPrincipal.give(held.sender.principal, held.bytes);
    byPeer.give(held.sender.peer, held.bytes);
    held.bytes = 0;
  }

  function makeRoom({ sender, bytes: own }: Held, bytes: number): boolean {
    const most = Math.min(byPrincipal.mostOf(sender.principal), byPeer.mostOf(sender.peer));
    if (own + bytes > most) return false;
    const nowMs = clock.monotonic();
    let left = Math.min(holders.size, MAX_MEASURED);
    for (const held of holders) {
      const blocked = blockedBy(sender, bytes);
      if (blocked === undefined) return true;
      if (left === 0) return false;
      left -= 1;
      holders.delete(held);
      holders.add(held);
      const other = held.sender;
      if (!isSlow(held.pace, other.received(), nowMs) || other === sender) continue;
      if (blocked !== 'all' && other[blocked] !== sender[blocked]) continue;
      release(held);
      onCut?.();
      other.cut();
    }
    return blockedBy(sender, bytes) === undefined;
  }

  return {
    get totalBytes() {
      return byPrincipal.total;
    },
    hold(sender) {
      const held: Held = { sender, bytes: 0, pace: NO_PACE };
      return {
        take(bytes) {
          if (blockedBy(sender, bytes) !== undefined && !makeRoom(held, bytes)) return false;
          const [received, nowMs] = [sender.received(), clock.monotonic()];
          if (held.bytes === 0) held.pace = startPace(received, nowMs);
          else touchPace(held.pace, received, nowMs);
          byPrincipal.take(sender.principal, bytes);
          byPeer.take(sender.peer, bytes);
          held.bytes += bytes;
          holders.add(held);
          return true;
        },
        release: () => release(held),
      };
    },
  };
}

const NO_PACE = startPace(0, 0);
