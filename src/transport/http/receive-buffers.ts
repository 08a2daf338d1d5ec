import type { Clock } from '#core/time/clock.ts';
import {
  isSlow,
  startTransferRate,
  touchTransferRate,
  type TransferRate,
} from './transfer-rate.ts';
import { THIS_MACHINE } from './peer-address.ts';
import { createQuota } from './quota.ts';

/** The sender of a message that arrives in parts: a request body, a WebSocket message or a line. */
export interface Sender {
  readonly principal: string;
  /** As `peerOf` returns it. */
  readonly peer: string;
  /** Bytes received so far, possibly of more than this message. */
  received(): number;
  /**
   * Called when the sender is so slow that its memory is given to others; it must discard what it
   * received.
   */
  drop(): void;
}

/** The memory reserved for one sender. */
export interface BufferReservation {
  /** Reserves more bytes; false, with nothing reserved, if there is no room. */
  reserve(bytes: number): boolean;
  /** Releases everything, when the message is complete or given up. */
  release(): void;
}

/** The memory for messages that have arrived in part, shared by all transports. */
export interface ReceiveBuffers {
  readonly totalBytes: number;
  open(sender: Sender): BufferReservation;
}

export interface ReceiveBuffersOptions {
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called when a sender was dropped to make room. */
  readonly onDropped?: () => void;
}

export const MAX_RECEIVE_BUFFER_BYTES = 256 * 1024 * 1024;
/** How many senders are measured before a request for memory is refused. */
const MAX_MEASURED = 256;

interface Reservation {
  readonly sender: Sender;
  bytes: number;
  rate: TransferRate;
}

/**
 * Creates the shared memory. The owner may use all of it, every other principal and every remote
 * peer half. When it is full, senders that make hardly any progress are dropped; others never.
 */
export function createReceiveBuffers({
  maxBytes,
  clock,
  onDropped,
}: ReceiveBuffersOptions): ReceiveBuffers {
  const byPrincipal = createQuota(maxBytes);
  const byPeer = createQuota(maxBytes, (peer) => peer === THIS_MACHINE);
  /** The least recently measured first. */
  const reservations = new Set<Reservation>();

  /** Which limit prevents the reservation, if any. */
  function blockedBy({ principal, peer }: Sender, bytes: number) {
    if (byPrincipal.check(principal, bytes) === 'share_full') return 'principal';
    if (byPeer.check(peer, bytes) === 'share_full') return 'peer';
    return byPrincipal.total + bytes > maxBytes ? 'all' : undefined;
  }

  function release(reservation: Reservation): void {
    if (!reservations.delete(reservation)) return;
    byPrincipal.release(reservation.sender.principal, reservation.bytes);
    byPeer.release(reservation.sender.peer, reservation.bytes);
    reservation.bytes = 0;
  }

  function makeRoom({ sender, bytes: own }: Reservation, bytes: number): boolean {
    const limit = Math.min(byPrincipal.limitOf(sender.principal), byPeer.limitOf(sender.peer));
    if (own + bytes > limit) return false;
    const nowMs = clock.monotonic();
    let left = Math.min(reservations.size, MAX_MEASURED);
    for (const reservation of reservations) {
      const blocked = blockedBy(sender, bytes);
      if (blocked === undefined) return true;
      if (left === 0) return false;
      left -= 1;
      reservations.delete(reservation);
      reservations.add(reservation);
      const other = reservation.sender;
      if (!isSlow(reservation.rate, other.received(), nowMs) || other === sender) continue;
      if (blocked !== 'all' && other[blocked] !== sender[blocked]) continue;
      release(reservation);
      onDropped?.();
      other.drop();
    }
    return blockedBy(sender, bytes) === undefined;
  }

  return {
    get totalBytes() {
      return byPrincipal.total;
    },
    open(sender) {
      const reservation: Reservation = { sender, bytes: 0, rate: NO_RATE };
      return {
        reserve(bytes) {
          if (blockedBy(sender, bytes) !== undefined && !makeRoom(reservation, bytes)) return false;
          const [received, nowMs] = [sender.received(), clock.monotonic()];
          if (reservation.bytes === 0) reservation.rate = startTransferRate(received, nowMs);
          else touchTransferRate(reservation.rate, received, nowMs);
          byPrincipal.acquire(sender.principal, bytes);
          byPeer.acquire(sender.peer, bytes);
          reservation.bytes += bytes;
          reservations.add(reservation);
          return true;
        },
        release: () => release(reservation),
      };
    },
  };
}

const NO_RATE = startTransferRate(0, 0);
