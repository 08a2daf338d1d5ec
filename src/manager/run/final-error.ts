import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { FailureSummary } from '#core/messages/run-reasons.ts';

/** What a request brings on itself, whoever is asked. */
const OF_THE_REQUEST: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'validation',
  'bad_request',
  'too_large',
  'context_length',
  'content_filter',
  'budget',
]);

export interface FailedRun {
  /** In the order in which they came; at least one. */
  readonly failures: readonly CallError[];
  /** Characters that the reader of the answer has. */
  readonly toldChars: number;
  /** Whether the reader has part of a tool call. */
  readonly toldCalls: 'yes' | 'no';
  /** `wanted` unless told. */
  readonly goingOn?: 'wanted' | 'unwanted';
  readonly deadline: 'passed' | 'not_passed';
}

/** The one error that says how all of it failed. */
export function finalError({
  failures,
  toldChars,
  toldCalls,
  goingOn = 'wanted',
  deadline,
}: FailedRun): CallError {
  const last = failures.at(-1) ?? new CallError('internal', 'Nobody was asked.');
  if (last.class === 'cancelled') return last;
  const own = failures.find((error) => OF_THE_REQUEST.has(error.class));
  if (own && failures.every((error) => OF_THE_REQUEST.has(error.class)))
    return widest(failures) ?? own;
  const lastOfEach = new Map(failures.map((error) => [whose(error), error]));
  const summaries = [...lastOfEach.values()].map((error) => summaryOf(error, failures));
  const cause = last;
  if (toldChars > 0 || toldCalls === 'yes') {
    const why = reason('answer_interrupted', {
      where: toldCalls === 'yes' ? 'tool_call' : { characters: toldChars },
      continuing: goingOn === 'wanted' ? 'failed' : 'unwanted',
      failures: summaries,
    });
    return codedError('interrupted', why, { fixes: [fix('retry', {})], cause });
  }
  if (lastOfEach.size === 1) {
    // That it rests by now is only what its failures came to.
    return failures.findLast((error) => error.class !== 'breaker_open') ?? last;
  }
  if (deadline === 'passed') {
    return codedError('timeout', reason('deadline_passed', { failures: summaries }), { cause });
  }
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const why = reason('no_model_answered', { failures: summaries });
  return codedError('exhausted_fallback_chain', why, {
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    fixes: [
      fix('run_doctor'),
      fix('run_command', { command: 'exai keys test', purpose: 'try every key' }),
    ],
    cause,
  });
}

/** Of those for whom it was too long, the one with most room. */
function widest(failures: readonly CallError[]): CallError | undefined {
  if (failures.some((error) => error.contextTokens === undefined)) return undefined;
  return failures.toSorted((a, b) => (b.contextTokens ?? 0) - (a.contextTokens ?? 0))[0];
}

function whose({ provider = '', model = '' }: CallError): string {
  return `${provider}/${model}`;
}

/** The last failure of one model, and how often it failed. */
function summaryOf(error: CallError, failures: readonly CallError[]): FailureSummary {
  const { provider, model, class: errorClass, message, reason: why } = error;
  return {
    class: errorClass,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    times: failures.filter((each) => whose(each) === whose(error)).length,
    message,
    ...(why && { reason: why }),
  };
}
