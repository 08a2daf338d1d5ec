import { CallError, type ErrorFacts } from './call-error.ts';
import type { ErrorClass } from './error-class.ts';
import type { Reason } from '../messages/reasons.ts';
import { baseRenderer } from '../messages/render.ts';
import { asSentence } from '../messages/sentence.ts';

/**
 * An error whose message is a reason as data, so that each surface can render it in its own words.
 */
export function codedError(
  errorClass: ErrorClass,
  reason: Reason,
  facts: Omit<ErrorFacts, 'reason'> = {},
): CallError {
  const message = asSentence(baseRenderer.reason(reason));
  return new CallError(errorClass, message, { ...facts, reason });
}
