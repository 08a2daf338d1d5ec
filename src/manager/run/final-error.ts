import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { FailureSummary } from '#core/messages/run-reasons.ts';
import { limitedClass, underlyingClass } from '../limited-class.ts';

/** Classes caused by the request, on every model. */
const OF_THE_REQUEST: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'validation',
  'bad_request',
  'too_large',
  'context_length',
  'content_filter',
  'budget',
]);

export interface FailedRun {
  /** In order; at least one. */
  readonly failures: readonly CallError[];
  /** Characters emitted to the client. */
  readonly emittedChars: number;
  /** Whether part of a tool call was emitted. */
  readonly emittedToolCalls: boolean;
  /** Whether the caller wants interrupted answers continued. Default `wanted`. */
  readonly continuing?: 'wanted' | 'unwanted';
  readonly deadline: 'passed' | 'not_passed';
  /** The maximum number of requests to vendors, if it was reached. */
  readonly vendorCalls?: number;
  /** How long the breaker of the model of a failure stays open; undefined if it is not open. */
  readonly coolDownMs?: (failure: CallError) => number | undefined;
}

/** Clients that are told to retry at once would be refused again. */
const MIN_WAIT_MS = 1000;
const RATE_CLASSES: ReadonlySet<ErrorClass> = new Set<ErrorClass>(['rate_limit', 'overloaded']);

/**
 * The one error that summarises all failures of a run. A rate limit without a time has that of the
 * breaker that it opened, so that clients know when to retry.
 */
export function finalError(run: FailedRun): CallError {
  const error = summarised(run);
  if (!RATE_CLASSES.has(error.class)) return error;
  const { retryAfterMs = shortestCoolDown(run) } = error;
  if (retryAfterMs === undefined) return error;
  const waitMs = Math.max(MIN_WAIT_MS, retryAfterMs);
  return waitMs === error.retryAfterMs ? error : withWait(error, waitMs);
}

function shortestCoolDown({ failures, coolDownMs }: FailedRun): number | undefined {
  const waits = failures.flatMap((failure) => coolDownMs?.(failure) ?? []);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function withWait(error: CallError, retryAfterMs: number): CallError {
  const { cause, reason: why } = error;
  return new CallError(error.class, error.message, {
    ...error.facts(),
    ...(why && { reason: why }),
    retryAfterMs,
    cause,
  });
}

function summarised({
  failures,
  emittedChars,
  emittedToolCalls,
  continuing = 'wanted',
  deadline,
  vendorCalls,
}: FailedRun): CallError {
  const last = failures.at(-1) ?? new CallError('internal', 'No model was asked.');
  if (last.class === 'cancelled') return last;
  const own = failures.find((error) => OF_THE_REQUEST.has(error.class));
  if (own && failures.every((error) => OF_THE_REQUEST.has(error.class)))
    return widest(failures) ?? own;
  const lastOfEach = new Map(failures.map((error) => [modelOf(error), error]));
  const summaries = [...lastOfEach.values()].map((error) => summaryOf(error, failures));
  const cause = last;
  if (emittedChars > 0 || emittedToolCalls) {
    const why = reason('answer_interrupted', {
      where: emittedToolCalls ? 'tool_call' : { characters: emittedChars },
      continuing: continuing === 'wanted' ? 'failed' : 'unwanted',
      failures: summaries,
    });
    // A budget refuses the next request as well.
    const fixes = last.class === 'budget' ? last.fixes : [fix('retry', {})];
    return codedError('interrupted', why, { fixes, cause });
  }
  if (lastOfEach.size === 1) {
    // That its breaker is open by now only follows from its failures.
    return failures.findLast((error) => error.class !== 'breaker_open') ?? last;
  }
  const limited = limitedError([...lastOfEach.values()], summaries);
  if (limited) return limited;
  if (deadline === 'passed') {
    return codedError('timeout', reason('deadline_passed', { failures: summaries }), { cause });
  }
  const why = reason('no_model_answered', {
    failures: summaries,
    ...(vendorCalls !== undefined && { vendorCalls }),
  });
  return codedError('exhausted_fallback_chain', why, {
    ...shortestWait(failures),
    fixes: [fix('run_doctor'), fix('test_key')],
    cause,
  });
}

/** The error when every model is limited: clients may retry it, and know when. */
function limitedError(
  failures: readonly CallError[],
  summaries: readonly FailureSummary[],
): CallError | undefined {
  const limited = limitedClass(failures.map(underlyingClass));
  if (limited === undefined) return undefined;
  const why = reason('all_models_limited', { failures: summaries });
  const own = failures.find((error) => error.class === 'over_capacity');
  return codedError(limited, why, {
    ...shortestWait(failures),
    ...(limited === 'over_capacity' && own?.field !== undefined && { field: own.field }),
    fixes: own ? own.fixes : [fix('retry', {}), fix('add_key', {})],
    cause: failures.at(-1),
  });
}

function shortestWait(failures: readonly CallError[]): { readonly retryAfterMs?: number } {
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) };
}

/** Among context length errors, the one with the largest window. */
function widest(failures: readonly CallError[]): CallError | undefined {
  if (failures.some((error) => error.contextTokens === undefined)) return undefined;
  return failures.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))[0];
}

function modelOf({ provider = '', model = '' }: CallError): string {
  return `${provider}/${model}`;
}

/** The last failure of one model, and how often it failed. A refused spending made no request. */
function summaryOf(error: CallError, failures: readonly CallError[]): FailureSummary {
  const { provider, model, class: errorClass, message, reason: why } = error;
  const isAttempt = (each: CallError) =>
    each.class !== 'budget' && modelOf(each) === modelOf(error);
  return {
    class: errorClass,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    times: errorClass === 'budget' ? 1 : failures.filter(isAttempt).length,
    message,
    ...(why && { reason: why }),
  };
}
