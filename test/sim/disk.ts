import type { Client } from '#core/stores/clients.ts';
import type { CallRecord } from '#core/stores/calls.ts';

/** What outlives a crash. */
export interface Disk {
  readonly rows: Map<string, CallRecord>;
  readonly clients: Map<string, Client>;
  /** While it is full, no commit succeeds. */
  isFull: boolean;
}

export function createDisk(): Disk {
  return { rows: new Map(), clients: new Map(), isFull: false };
}
