import type pg from 'pg';
import type { CallError } from '#core/errors/call-error.ts';
import { sleep, type Clock } from '#core/time/clock.ts';

/** An ordinary restart of the server takes no longer. */
const RESTART_MS = 5000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

interface LostRow {
  /** Matched against the code of the server or the system, or else the driver's message, as it gives no code. */
  readonly when: RegExp;
  /** What the server did with the statement. */
  readonly statement: 'not_sent' | 'rolled_back' | 'unknown';
}

/** How a connection breaks, as at a restart of the server; not that the server is silent. */
const LOST: readonly LostRow[] = [
  { when: /^(ECONNREFUSED|ENOENT|57P03)$|not queryable/, statement: 'not_sent' },
  { when: /^57P0[12]$/, statement: 'rolled_back' },
  { when: /^(ECONNRESET|EPIPE)$|terminated unexpectedly|Connection ended/, statement: 'unknown' },
];

function lostRow(thrown: unknown): LostRow | undefined {
  const { code = '', message = '' } = (thrown ?? {}) as { code?: string; message?: string };
  return LOST.find(({ when }) => when.test(code) || (!code && when.test(message)));
}

/** Whether the connection broke. */
export function isConnectionLost({ cause }: CallError): boolean {
  return lostRow(cause) !== undefined;
}

/** Whether a single statement certainly had no effect. */
export function hadNoEffect(error: CallError): boolean {
  if (wasDeadlocked(error)) return true;
  return ['not_sent', 'rolled_back'].includes(lostRow(error.cause)?.statement ?? '');
}

/**
 * Whether the server undid the whole transaction because it and others waited for each other
 * (`deadlock_detected`, `serialization_failure`): it can run again as it is.
 */
export function wasDeadlocked({ cause }: CallError): boolean {
  return /^40(P01|001)$/.test((cause as { code?: string } | undefined)?.code ?? '');
}

/** Whether a connection broke that was open: the next one shows whether the server is there. */
export function wasCutOff({ cause }: CallError): boolean {
  return ['rolled_back', 'unknown'].includes(lostRow(cause)?.statement ?? '');
}

/**
 * Takes a connection of the pool. While the server refuses connections it is asked again for as long as a restart takes, unless
 * it is known to be down.
 */
export function createPatientConnect(
  pool: pg.Pool,
  { clock, isDown }: { clock: Clock; isDown: () => boolean },
): () => Promise<pg.PoolClient> {
  return async () => {
    const startedAt = clock.monotonic();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await pool.connect();
      } catch (thrown) {
        // Nothing was sent yet, however the connection broke.
        const isRefused = lostRow(thrown) !== undefined;
        const isLate = clock.monotonic() - startedAt + pauseMs > RESTART_MS;
        if (!isRefused || isLate || isDown()) throw thrown;
        await sleep(clock, pauseMs);
      }
    }
  };
}
