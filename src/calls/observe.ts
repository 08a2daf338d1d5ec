import type { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log, Metrics } from '#core/telemetry.ts';

export interface CallObserver {
  ended(
    tool: string,
    status: string,
    error: CallError | undefined,
    about: { readonly reqId: string; readonly elapsedMs: number },
  ): void;
}

const FAILURES_PER_MINUTE = 60;

/** Counts and times the calls, and logs those that failed. */
export function createObserver(metrics: Metrics, log: Log, clock: Clock): CallObserver {
  const total = metrics.counter('exai_calls_total', 'Calls answered, by tool and outcome.');
  const seconds = metrics.histogram('exai_call_seconds', 'Time from a call to its answer.');
  const warn = sparingWarn(log, clock, FAILURES_PER_MINUTE);
  return {
    ended(tool, status, error, { reqId, elapsedMs }) {
      total.add({ tool, outcome: error ? error.class : status });
      seconds.observe(elapsedMs / 1000, { tool });
      if (!error) return;
      const fields = { req_id: reqId, tool, error: error.toJSON() };
      if (error.class === 'internal') log.error('call_failed', { ...fields, cause: error.cause });
      else warn('call_failed', fields);
    },
  };
}
