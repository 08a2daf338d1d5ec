import type { Json } from '#core/json.ts';
import type { Client } from '#core/stores/clients.ts';
import type { AttemptRecord, CallRecord, UsageRecord } from '#core/stores/calls.ts';

/** What outlives a crash. */
export interface Disk {
  readonly rows: Map<string, CallRecord>;
  readonly clients: Map<string, Client>;
  readonly attempts: AttemptRecord[];
  readonly usage: UsageRecord[];
  readonly breakers: Map<string, { readonly state: Json; readonly updatedAt: number }>;
  readonly settings: Map<string, Json>;
  /** While it is full, no commit succeeds. */
  isFull: boolean;
}

export function createDisk(): Disk {
  return {
    rows: new Map(),
    clients: new Map(),
    attempts: [],
    usage: [],
    breakers: new Map(),
    settings: new Map(),
    isFull: false,
  };
}
