import { CallError, type ErrorFacts } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { oneLine } from '#core/one-line.ts';
import type { Heard } from './reply.ts';

const MAX_WHY_CHARS = 400;
const DOCTOR = 'exai doctor says what is wrong; exai keys test tries every key.';
/** By what all of them failed of; their own fixes speak of arguments that this tool does not have. */
const FIXES: Partial<Readonly<Record<ErrorClass, string>>> = {
  timeout: 'Give them more time (per_model_seconds), or ask quicker ones.',
  budget: 'Raise max_cost_usd, leave it out, or ask cheaper ones.',
  not_found: 'listmodels shows which there are; without models three are chosen.',
  context_length: 'Give fewer or shorter files, or ask models with larger windows.',
};

/** The one error of a question that nobody answered: what all have in common is its class, and each is named. */
export function nobodyAnswered(heard: readonly Heard[]): CallError {
  const failed = heard.flatMap(({ voice, first }) =>
    first.is === 'failed' ? [{ label: voice.label, error: first.error }] : [],
  );
  const errors = failed.map(({ error }) => error);
  const who = failed
    .map(({ label, error }) => `${label}: ${error.class}, ${oneLine(error.message, MAX_WHY_CHARS)}`)
    .join(' ');
  const errorClass: ErrorClass =
    same(errors.map((each) => each.class)) ?? 'exhausted_fallback_chain';
  const field = same(errors.map((each) => each.field));
  const waits = errors.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const facts: ErrorFacts = {
    fix: FIXES[errorClass] ?? DOCTOR,
    // Here it is a list.
    ...(field !== undefined && { field: field === 'model' ? 'models' : field }),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
    cause: errors[0],
  };
  return new CallError(errorClass, `None of the ${failed.length} models answered. ${who}`, facts);
}

/** What all of them say; nothing where they differ. */
function same<T>([first, ...rest]: readonly T[]): T | undefined {
  return rest.every((each) => each === first) ? first : undefined;
}
