import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { JobStore } from '#core/stores/jobs.ts';
import type { Log } from '#core/telemetry/telemetry.ts';

/** Settings are read at each use, as they may change. */
export interface JobsOptions {
  readonly store: JobStore;
  /** Why nothing can be stored now. */
  readonly storeFailure?: () => CallError | undefined;
  /** Runs the calls. */
  readonly calls: Calls;
  /** Whether the caller's credential is still valid. */
  readonly isCredentialValid: (caller: Caller) => boolean;
  /** Re-resolves a stored caller with its current scopes; undefined when its token was revoked. */
  readonly resolveCaller: (caller: Caller) => Promise<Caller | undefined>;
  /** Unique id of this daemon. */
  readonly owner: string;
  /** `alone`: no other daemon uses the store, so jobs of other owners are orphaned. */
  readonly among: 'alone' | 'others';
  /** After this time a call gets the timeout of a job, whether its caller still waits or not. */
  readonly inlineWaitMs: number;
  /** Total time that a job may take. */
  readonly timeoutMs: number;
  /** Maximum of queued jobs that run concurrently in this daemon. */
  readonly running: number;
  /** Maximum of open jobs of one principal when it starts another in the background. */
  readonly waiting: number;
  /** Days that a finished job is stored; 0: forever. */
  readonly keptDays: number;
  /**
   * Stores files that arguments contain, and returns the arguments with their ids, so that a job
   * can be rerun; undefined if they contain none. Absent: contents stay in the arguments.
   */
  readonly keepContents?: (
    args: unknown,
    principal: string,
  ) => Promise<Readonly<Record<string, unknown>>> | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** A daemon without a heartbeat for this long counts as dead. */
export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 5000;
