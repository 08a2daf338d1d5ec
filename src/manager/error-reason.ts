import type { CallError } from '#core/errors/call-error.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { ErrorSummary } from '#core/messages/run-reasons.ts';

/** The reason of an error as data, or its message as a text reason. */
export function errorReason({ reason: own, message }: CallError): Reason {
  return own ?? reason('text', { text: message });
}

/** An error as a parameter of a reason or notice. */
export function errorSummary({
  class: errorClass,
  message,
  reason: why,
  fixes,
}: CallError): ErrorSummary {
  return { class: errorClass, message, ...(why && { reason: why }), fixes };
}
