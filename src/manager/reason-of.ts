import type { CallError } from '#core/call-error.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { ErrorSummary } from '#core/messages/run-reasons.ts';

/** Why an error came, as data: its own reason, or its message where it has none. */
export function reasonOf({ reason: own, message }: CallError): Reason {
  return own ?? reason('text', { text: message });
}

/** An error within a reason or a notice. */
export function summaryOf({
  class: errorClass,
  message,
  reason: why,
  fixes,
}: CallError): ErrorSummary {
  return { class: errorClass, message, ...(why && { reason: why }), fixes };
}
