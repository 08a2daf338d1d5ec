import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { JobStore } from '#core/stores/jobs.ts';
import type { Log } from '#core/telemetry.ts';

export interface JobsOptions {
  readonly store: JobStore;
  /** How a call runs. */
  readonly calls: Calls;
  /** Whether what a caller came in with is still good. */
  readonly isGood: (caller: Caller) => boolean;
  /** Who a caller of some time ago is today; nothing when its token was taken away. */
  readonly standing: (caller: Caller) => Promise<Caller | undefined>;
  /** This daemon, by a name that no other has or had. */
  readonly owner: string;
  /** `alone`: whatever another daemon began was left by one that is gone. */
  readonly among: 'alone' | 'others';
  /** From then on a call has the time of a job, whether its caller still waits or not. */
  readonly inlineWaitMs: number;
  /** What a job may take in all. */
  readonly timeoutMs: number;
  /** Jobs from the queue that run here at once. */
  readonly running: number;
  /** Jobs of one principal that may be open when it asks for another in the background. */
  readonly waiting: number;
  /** For how long a job is kept once it is over; 0 keeps it for ever. */
  readonly keptDays: number;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** A daemon that says nothing for so long is taken for dead. */
export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 5000;
