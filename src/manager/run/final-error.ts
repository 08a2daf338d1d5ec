import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';

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
  const who = [...lastOfEach.values()].map((error) => sentence(error, failures)).join(' ');
  const cause = last;
  if (toldChars > 0 || toldCalls === 'yes') {
    const where = toldCalls === 'yes' ? 'in a tool call' : `after ${toldChars} characters`;
    const wanted = goingOn === 'wanted' ? 'nobody could go on with it' : 'going on was not wanted';
    const message = `The answer broke off ${where}, and ${wanted}. ${who}`;
    return new CallError('interrupted', message, { fix: 'Ask again.', cause });
  }
  if (new Set(failures.map(whose)).size === 1) {
    // That it rests by now is only what its failures came to.
    return failures.findLast((error) => error.class !== 'breaker_open') ?? last;
  }
  if (deadline === 'passed') {
    return new CallError('timeout', `Nobody answered within the deadline. ${who}`, { cause });
  }
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return new CallError('exhausted_fallback_chain', `Nobody answered. ${who}`, {
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    fix: 'exai doctor says what is wrong; exai keys test tries every key.',
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

/** The last failure of each, and how often it failed. */
function sentence(error: CallError, failures: readonly CallError[]): string {
  const { provider, model, class: errorClass, message } = error;
  const who = model ?? provider;
  if (who === undefined) return message;
  const times = failures.filter((each) => whose(each) === whose(error)).length;
  return `${who}: ${errorClass}${times > 1 ? ` (failed ${times} times)` : ''}, ${message}`;
}
