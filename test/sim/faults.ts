import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { SeededRandom } from './random.ts';

/**
 * A way to fail, as it looks when a provider has made sense of it. `before` anything was said;
 * `midway`; `thoughts`: after thoughts alone. `silence` and `end` without a word of why.
 */
export interface FaultKind {
  readonly when: 'before' | 'midway' | 'thoughts';
  readonly how: ErrorClass | 'silence' | 'end';
  /** Of the answer; absent when none came. */
  readonly status?: number;
  readonly facts?: (random: SeededRandom) => ErrorFacts;
}

const told = (random: SeededRandom) => ({ retryAfterMs: random.pick([0, 200, 900, 2500, 40_000]) });

export const FAULTS = {
  none: undefined,
  slow: undefined,
  // It thinks for longer than a pause may be, with comments that keep the stream alive.
  ponders: undefined,
  // Comments alone, for ever.
  babbles: { when: 'midway', how: 'silence', status: 200 },
  unreachable: { when: 'before', how: 'network' },
  reset: { when: 'before', how: 'network' },
  gateway: { when: 'before', how: 'provider_error', status: 502 },
  overloaded: { when: 'before', how: 'overloaded', status: 503 },
  limited: { when: 'before', how: 'rate_limit', status: 429 },
  limited_told: { when: 'before', how: 'rate_limit', status: 429, facts: told },
  quota: { when: 'before', how: 'quota', status: 429 },
  billing: { when: 'before', how: 'billing', status: 402 },
  auth: { when: 'before', how: 'auth', status: 401 },
  gone: { when: 'before', how: 'not_found', status: 404 },
  too_long: {
    when: 'before',
    how: 'context_length',
    status: 400,
    facts: (random) => (random.chance(0.5) ? { contextTokens: random.between(200, 5000) } : {}),
  },
  filtered: { when: 'before', how: 'content_filter', status: 400 },
  garbled: { when: 'before', how: 'bad_response', status: 200 },
  empty: { when: 'before', how: 'empty_response', status: 200 },
  silent: { when: 'before', how: 'silence' },
  thoughts: { when: 'thoughts', how: 'empty_response', status: 200 },
  cut: { when: 'midway', how: 'interrupted', status: 200 },
  stalled: { when: 'midway', how: 'silence', status: 200 },
  in_band: { when: 'midway', how: 'provider_error', status: 200 },
  filtered_midway: { when: 'midway', how: 'content_filter', status: 200 },
  unfinished: { when: 'midway', how: 'end', status: 200 },
  // Nobody here cancelled: the other side did.
  hung_up: { when: 'midway', how: 'cancelled', status: 200 },
} as const satisfies Record<string, FaultKind | undefined>;

export type Fault = keyof typeof FAULTS;

export function faultKind(fault: Fault): FaultKind | undefined {
  return FAULTS[fault];
}

export function errorOf(
  errorClass: ErrorClass,
  fault: Fault,
  facts: ErrorFacts,
  random: SeededRandom,
): CallError {
  const more = faultKind(fault)?.facts?.(random) ?? {};
  return new CallError(errorClass, `The vendor is ${fault}.`, { ...facts, ...more });
}
