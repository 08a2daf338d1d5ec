import type { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { keepLabels } from '#core/keep-labels.ts';
import { markLogged } from '#core/logged.ts';
import { oneLine } from '#core/one-line.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log, Metrics } from '#core/telemetry.ts';

export interface CallObserver {
  /** `tool` is a label of metrics: never a stranger's words. */
  ended(
    tool: string,
    status: string,
    error: CallError | undefined,
    about: {
      readonly reqId: string;
      readonly elapsedMs: number;
      /** The name that the caller gave. */
      readonly asked: string;
    },
  ): void;
}

const FAILURES_PER_MINUTE = 60;
const MAX_NAME_CHARS = 128;

/** What a caller does wrong, or no longer wants, is no trouble of the daemon's. */
const CALLERS_OWN: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'bad_request',
  'validation',
  'permission',
  'not_found',
  'cancelled',
]);

/** Counts and times the calls, and logs those that failed. */
export function createObserver(metrics: Metrics, log: Log, clock: Clock): CallObserver {
  const total = metrics.counter('exai_calls_total', 'Calls answered, by tool and outcome.');
  const seconds = metrics.histogram('exai_call_seconds', 'Time from a call to its answer.');
  const ofTool = keepLabels('tool');
  const ofOutcome = keepLabels('tool', 'outcome');
  const warn = sparingWarn(log, clock, FAILURES_PER_MINUTE);
  const tell = sparingWarn(log, clock, FAILURES_PER_MINUTE, 'info');
  return {
    ended(tool, status, error, { reqId, elapsedMs, asked }) {
      total.add(ofOutcome(tool, error ? error.class : status));
      seconds.observe(elapsedMs / 1000, ofTool(tool));
      if (!error) return;
      markLogged(error);
      const fields = {
        req_id: reqId,
        tool: oneLine(asked, MAX_NAME_CHARS),
        error: error.toJSON(),
      };
      if (error.class === 'internal') log.error('call_failed', { ...fields, cause: error.cause });
      else if (CALLERS_OWN.has(error.class)) tell('call_failed', fields);
      else warn('call_failed', fields);
    },
  };
}
