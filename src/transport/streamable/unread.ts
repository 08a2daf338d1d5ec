import type { Out } from '../http/endpoint.ts';

/** Above this much unread, what may be left out is left out. In bytes. */
export const HIGH_WATER = 1024 * 1024;
/** A client that lets its answers pile up to this is cut; a single answer may be larger. */
export const MAX_UNREAD = 16 * 1024 * 1024;
// With the usual time between two looks, two minutes.
const MAX_STALLS = 8;

/** What was found when it was last looked whether somebody reads. */
export interface Pulse {
  unread: number;
  stalls: number;
}

export function createPulse(): Pulse {
  return { unread: 0, stalls: 0 };
}

/** To be asked at every sign of life: whether something is unread, and has been for long without becoming less. */
export function isStalled({ unread }: Pick<Out, 'unread'>, pulse: Pulse): boolean {
  pulse.stalls = unread > 0 && unread >= pulse.unread ? pulse.stalls + 1 : 0;
  pulse.unread = unread;
  return pulse.stalls >= MAX_STALLS;
}
