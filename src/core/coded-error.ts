import { CallError, type ErrorFacts } from './call-error.ts';
import type { ErrorClass } from './error-class.ts';
import type { Reason } from './messages/reasons.ts';
import { baseRenderer } from './messages/render.ts';

/** An error whose message is a reason as data, so that each surface can say it in its own texts. */
export function codedError(
  errorClass: ErrorClass,
  reason: Reason,
  facts: Omit<ErrorFacts, 'reason'> = {},
): CallError {
  const message = baseRenderer.message({ message: '', reason });
  return new CallError(errorClass, message, { ...facts, reason });
}
