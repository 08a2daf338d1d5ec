import type { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log, Metrics } from '#core/telemetry.ts';

export interface WsObserver {
  /** An upgrade was answered with an error. */
  refused(error: CallError): void;
  /** A connection was ended for what its client sent, or failed to answer. */
  cut(why: ErrorClass, reason: string): void;
  /** A session threw, which is a bug of ours. */
  failed(thrown: unknown): void;
}

const REFUSALS_PER_MINUTE = 60;
const CUTS_PER_MINUTE = 10;

export function createWsObserver(log: Log, metrics: Metrics, clock: Clock): WsObserver {
  const refusals = metrics.counter('exai_ws_refused_total', 'WebSocket upgrades refused.');
  const cuts = metrics.counter(
    'exai_ws_cut_total',
    'WebSockets ended for what the client sent or failed to answer.',
  );
  const warn = sparingWarn(log, clock, REFUSALS_PER_MINUTE);
  const warnCut = sparingWarn(log, clock, CUTS_PER_MINUTE);
  return {
    refused(error) {
      refusals.add({ class: error.class });
      warn('ws_refused', { error: error.toJSON() });
    },
    cut(why, reason) {
      cuts.add({ class: why });
      warnCut('ws_cut', { class: why, reason });
    },
    failed(cause) {
      cuts.add({ class: 'internal' });
      log.error('ws_failed', { cause });
    },
  };
}
