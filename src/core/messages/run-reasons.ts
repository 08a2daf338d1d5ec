import type { ErrorClass } from '../errors/error-class.ts';
import type { Renderer, SentenceTable } from './coded-message.ts';
import type { Fix } from './fixes.ts';
import type { NoParams, Reason } from './reasons.ts';

/** An error within a message. */
export interface ErrorSummary {
  readonly class: ErrorClass;
  readonly message: string;
  readonly reason?: Reason;
  readonly fixes: readonly Fix[];
}

type FailedAttempt = {
  readonly provider: string;
  readonly model: string;
  readonly class: ErrorClass;
  /** Present if our own limit prevented the request. */
  readonly limit?: { readonly message: string; readonly reason?: Reason };
};

/** The next attempt after a failure: the same model or another. */
export type NextAttempt = 'again' | { readonly provider: string; readonly model: string };

/** Reasons about the run of a plan. */
export interface RunReasonParams {
  /** A candidate was skipped. */
  passed_over: {
    readonly class: ErrorClass;
    readonly provider?: string;
    readonly model?: string;
    readonly message: string;
    readonly reason?: Reason;
  };
  attempt_failed: FailedAttempt & { readonly next?: NextAttempt };
  /** The same while the next candidate is asked. */
  asking_next: FailedAttempt & { readonly next: NextAttempt };
  /** A model was silent, so another one was asked beside it. */
  asked_beside: {
    readonly provider: string;
    readonly model: string;
    readonly silentMs: number;
    readonly next: { readonly provider: string; readonly model: string };
  };
  /** It is asked beside the first candidate while that one is silent. */
  asked_if_silent: { readonly model: string; readonly silentMs: number };
  /** An attempt was cancelled, because the model that was asked beside it was first. */
  other_answered_first: {
    readonly provider: string;
    readonly model: string;
    /** Without a word until then; absent for the model that was asked later. */
    readonly silentMs?: number;
  };
  /** A silent attempt was cancelled while another one was silent, too, so that a new one is made. */
  silent_given_up: { readonly silentMs: number };
  /** The answer was interrupted, and no other model continued it. */
  answer_interrupted: {
    readonly where: { readonly characters: number } | 'tool_call';
    readonly continuing: 'failed' | 'unwanted';
    readonly failures: readonly FailureSummary[];
  };
  deadline_passed: { readonly failures: readonly FailureSummary[] };
  no_model_answered: {
    readonly failures: readonly FailureSummary[];
    /** The maximum number of requests to vendors, if it was reached. */
    readonly vendorCalls?: number;
  };
  /** All candidates are rate-limited, out of quota, overloaded, or at our own limit of calls. */
  all_models_limited: { readonly failures: readonly FailureSummary[] };
  /** One ask has made as many requests to vendors as it may. */
  vendor_calls_used_up: { readonly max: number };
  /** Embeddings have no fallback model. */
  embeddings_not_substituted: { readonly message: string; readonly reason?: Reason };
  call_deadline_passed: NoParams;
}

/** The last failure of one model, and how often it failed. */
export interface FailureSummary {
  readonly class: ErrorClass;
  readonly provider?: string;
  readonly model?: string;
  readonly times: number;
  readonly message: string;
  readonly reason?: Reason;
}

export const RUN_REASON_SENTENCES: SentenceTable<RunReasonParams> = {
  passed_over: ({ message, reason }, render) => (reason ? render.reason(reason) : message),
  attempt_failed: (failed, render) => {
    const { next } = failed;
    const then =
      next === undefined
        ? ''
        : next === 'again'
          ? '; it was asked again'
          : `; ${next.provider}/${next.model} was asked next`;
    return failedText(failed, then, render);
  },
  asking_next: (failed, render) => {
    const { next } = failed;
    const whom = next === 'again' ? 'it again' : `${next.provider}/${next.model}`;
    return failedText(failed, `; asking ${whom}`, render);
  },
  asked_beside: ({ provider, model, silentMs, next }) =>
    `${model} (${provider}) sent nothing for ${inSeconds(silentMs)}; ${next.provider}/${next.model} was asked as well`,
  asked_if_silent: ({ model, silentMs }) =>
    `it is asked as well when ${model} sends nothing for ${inSeconds(silentMs)}`,
  other_answered_first: ({ provider, model, silentMs }) =>
    silentMs === undefined
      ? `${provider}/${model} answered first.`
      : `It sent nothing for ${inSeconds(silentMs)}; ${provider}/${model} answered first.`,
  silent_given_up: ({ silentMs }) =>
    `It sent nothing for ${inSeconds(silentMs)} and was cancelled.`,
  answer_interrupted: ({ where, continuing, failures }, render) => {
    const place = where === 'tool_call' ? 'in a tool call' : `after ${where.characters} characters`;
    const then =
      continuing === 'failed' ? 'no model could continue it' : 'continuing it was not wanted';
    return [`The answer broke off ${place}, and ${then}.`, ...failureTexts(failures, render)].join(
      ' ',
    );
  },
  deadline_passed: ({ failures }, render) =>
    ['No model answered within the deadline.', ...failureTexts(failures, render)].join(' '),
  no_model_answered: ({ failures, vendorCalls }, render) =>
    [
      'No model answered.',
      ...failureTexts(failures, render),
      ...(vendorCalls === undefined ? [] : [`${usedUpText(vendorCalls)}.`]),
    ].join(' '),
  all_models_limited: ({ failures }, render) =>
    ['No model takes requests now.', ...failureTexts(failures, render)].join(' '),
  vendor_calls_used_up: ({ max }) => usedUpText(max),
  embeddings_not_substituted: (error, render) =>
    `${render.message(error)} No other model is asked in its place: embeddings of two models do not mix`,
  call_deadline_passed: () => 'The deadline of this call has passed',
};

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function usedUpText(max: number): string {
  const calls = `${max} request${max === 1 ? '' : 's'} to providers`;
  return `EX-AI made ${calls} for this request, the maximum (fallback.maxVendorCalls)`;
}

function failedText(
  { provider, model, class: errorClass, limit }: FailedAttempt,
  then: string,
  render: Renderer,
): string {
  const who = `${model} (${provider})`;
  if (!limit) return `${who} failed with ${errorClass}${then}`;
  return `${who} was not asked${then}: ${render.message(limit)}`;
}

function failureTexts(failures: readonly FailureSummary[], render: Renderer): readonly string[] {
  return failures.map((failure) => {
    const { provider, model, class: errorClass, times } = failure;
    const who = model ?? provider;
    const message = render.message(failure);
    if (who === undefined) return message;
    return `${who}: ${errorClass}${times > 1 ? ` (failed ${times} times)` : ''}, ${message}`;
  });
}
