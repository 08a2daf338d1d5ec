/** Above this much unread, what may be left out is left out. In bytes. */
export const HIGH_WATER = 1024 * 1024;
/** A client that lets its answers pile up to this is cut; a single answer may be larger. */
export const MAX_UNREAD = 16 * 1024 * 1024;
