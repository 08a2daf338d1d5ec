import type { Json } from '#core/json/json.ts';
import type { Client } from '#core/stores/clients.ts';
import type { AttemptRecord, CallRecord, UsageRecord } from '#core/stores/calls.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import type { StoredResponse } from '#core/stores/responses.ts';
import type { ResultRecord } from '#core/stores/results.ts';
import type { SimFiles } from './sim-files.ts';

export interface JobRow extends JobRecord {
  readonly owner: string | null;
}

export interface DiskHang {
  readonly until: number;
  /** Whether the commits that it held are there in the end, or fail late. */
  readonly end: 'kept' | 'lost';
}

/** What outlives a crash. */
export interface Disk {
  readonly rows: Map<string, CallRecord>;
  readonly clients: Map<string, Client>;
  readonly attempts: AttemptRecord[];
  readonly usage: UsageRecord[];
  readonly breakers: Map<string, { readonly state: Json; readonly updatedAt: number }>;
  readonly settings: Map<string, Json>;
  readonly jobs: Map<string, JobRow>;
  readonly results: Map<string, ResultRecord & { readonly text: string }>;
  readonly responses: Map<string, StoredResponse>;
  readonly files: SimFiles;
  /** While it is full, no commit succeeds. */
  isFull: boolean;
  /** Until when no commit ends, and what becomes of those that it held. */
  hang: DiskHang;
  /** The last moment at which it was full or hung. */
  wasUnwellAt: number;
}

export function createDisk(): Disk {
  return {
    rows: new Map(),
    clients: new Map(),
    attempts: [],
    usage: [],
    breakers: new Map(),
    settings: new Map(),
    jobs: new Map(),
    results: new Map(),
    responses: new Map(),
    files: { rows: new Map(), owners: new Map() },
    isFull: false,
    hang: { until: Number.NEGATIVE_INFINITY, end: 'kept' },
    wasUnwellAt: Number.NEGATIVE_INFINITY,
  };
}
