import type { ResponseSink } from '../http/http-context.ts';

/** Above this many unread bytes, optional messages such as progress are skipped. */
export const HIGH_WATER_BYTES = 1024 * 1024;
/** A client with more unread bytes is disconnected; a single answer may be larger. */
export const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
// Two minutes at the default keep-alive interval.
const MAX_STALLS = 8;

/** Unread bytes at the last check, and how often in a row they did not shrink. */
export interface StallDetector {
  unread: number;
  stalls: number;
}

export function createStallDetector(): StallDetector {
  return { unread: 0, stalls: 0 };
}

/**
 * Whether the client has stopped reading: unread bytes have not shrunk for many checks. Called at
 * every keep-alive.
 */
export function isStalled(
  { bufferedBytes: unread }: Pick<ResponseSink, 'bufferedBytes'>,
  stall: StallDetector,
): boolean {
  stall.stalls = unread > 0 && unread >= stall.unread ? stall.stalls + 1 : 0;
  stall.unread = unread;
  return stall.stalls >= MAX_STALLS;
}
