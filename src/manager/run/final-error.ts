import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { FailureSummary } from '#core/messages/run-reasons.ts';

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
}

/** The one error that summarises all failures of a run. */
export function finalError({
  failures,
  emittedChars,
  emittedToolCalls,
  continuing = 'wanted',
  deadline,
}: FailedRun): CallError {
  const last = failures.at(-1) ?? new CallError('internal', 'Nobody was asked.');
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
    return codedError('interrupted', why, { fixes: [fix('retry', {})], cause });
  }
  if (lastOfEach.size === 1) {
    // That its breaker is open by now only follows from its failures.
    return failures.findLast((error) => error.class !== 'breaker_open') ?? last;
  }
  if (deadline === 'passed') {
    return codedError('timeout', reason('deadline_passed', { failures: summaries }), { cause });
  }
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const why = reason('no_model_answered', { failures: summaries });
  return codedError('exhausted_fallback_chain', why, {
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    fixes: [fix('run_doctor'), fix('test_key')],
    cause,
  });
}

/** Among context length errors, the one with the largest window. */
function widest(failures: readonly CallError[]): CallError | undefined {
  if (failures.some((error) => error.contextTokens === undefined)) return undefined;
  return failures.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))[0];
}

function modelOf({ provider = '', model = '' }: CallError): string {
  return `${provider}/${model}`;
}

/** The last failure of one model, and how often it failed. */
function summaryOf(error: CallError, failures: readonly CallError[]): FailureSummary {
  const { provider, model, class: errorClass, message, reason: why } = error;
  return {
    class: errorClass,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    times: failures.filter((each) => modelOf(each) === modelOf(error)).length,
    message,
    ...(why && { reason: why }),
  };
}
