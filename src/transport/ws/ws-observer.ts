import type { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';

/** Logs and counts refused and closed WebSockets. */
export interface WsObserver {
  /** An upgrade was refused. */
  refused(error: CallError): void;
  /** A connection was closed because of what its client sent, or failed to answer. */
  cut(why: ErrorClass, reason: string): void;
  /** A session threw an exception. */
  failed(thrown: unknown): void;
}

const REFUSALS_PER_MINUTE = 60;
const CUTS_PER_MINUTE = 10;

export function createWsObserver(log: Log, metrics: Metrics, clock: Clock): WsObserver {
  const refusals = metrics.counter('exai_ws_refused_total', 'WebSocket upgrades refused.');
  const cuts = metrics.counter(
    'exai_ws_dropped_total',
    'WebSockets ended for what the client sent or failed to answer.',
  );
  const warn = createRateLimitedLog(log, clock, REFUSALS_PER_MINUTE);
  const warnCut = createRateLimitedLog(log, clock, CUTS_PER_MINUTE);
  return {
    refused(error) {
      refusals.add({ class: error.class });
      warn('ws_refused', { error: error.toJSON() });
    },
    cut(why, reason) {
      cuts.add({ class: why });
      warnCut('ws_dropped', { class: why, reason });
    },
    failed(cause) {
      cuts.add({ class: 'internal' });
      log.error('ws_failed', { cause });
    },
  };
}
