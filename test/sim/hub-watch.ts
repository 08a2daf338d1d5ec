import type { CallResult } from '#core/calls/calls.ts';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import type { HubServerPlan } from './hub-server.ts';

/** A call of a client through the hub. */
export interface HubCall {
  readonly n: number;
  readonly principal: string;
  readonly server: HubServerPlan;
}

export interface HubWatch {
  /** A server works on so many calls at once. */
  works(server: HubServerPlan, count: number): void;
  /** A connection of one caller carries the calls of these. */
  carries(server: HubServerPlan, principals: ReadonlySet<unknown>): void;
  /** A server asked for a call of one principal, and this one answered. */
  answeredBy(asked: unknown, answered: unknown): void;
  /** A client got a question. */
  asks(call: HubCall, message: string): void;
  /** A call has ended, and why it may have failed that is no fault of its server. */
  ends(call: HubCall, answer: CallResult, excuse: 'none' | 'cancelled' | 'restarted'): void;
  violate(rule: string, what: string): void;
  readonly violations: readonly string[];
  readonly calls: number;
}

/** What holds of every call through the hub, whatever its server does. */
export function createHubWatch(): HubWatch {
  const violations: string[] = [];
  let calls = 0;
  const violate = (rule: string, what: string) => void violations.push(`${rule}: ${what}`);

  return {
    violate,
    violations,
    get calls() {
      return calls;
    },
    works({ name, maxConcurrent }, count) {
      if (count > maxConcurrent) violate('pool', `${name} works on ${count} calls at once`);
    },
    carries({ name, shared }, principals) {
      if (shared || principals.size <= 1) return;
      violate('own', `A connection of ${name} carries calls of ${[...principals].join()}`);
    },
    answeredBy(asked, answered) {
      if (asked !== answered)
        violate('question', `${String(answered)} answers for ${String(asked)}`);
    },
    asks({ principal, n }, message) {
      if (message.includes(`[${principal}]`)) return;
      violate('question', `Call ${n} of ${principal} is asked: ${message}`);
    },
    ends({ n, principal, server }, answer, excuse) {
      calls += 1;
      const { error, text } = answer;
      if (!error) {
        if (text !== JSON.stringify({ n, principal })) {
          violate('mixed', `Call ${n} of ${principal} is answered ${text}`);
        }
        return;
      }
      if (!ERROR_CLASSES.includes(error.class) || error.class === 'internal') {
        violate('typed', `Call ${n} fails with ${error.class}: ${error.message}`);
      }
      if (server.manner === 'well' && excuse === 'none') {
        violate('apart', `Call ${n} of ${server.name}, which is well, fails: ${error.message}`);
      }
    },
  };
}
