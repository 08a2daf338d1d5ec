import type { Reason } from './reasons.ts';

/** An error within another message, as text and as data if available. */
export interface ErrorText {
  readonly message: string;
  readonly reason?: Reason;
}

/** The serialisable part of an error. */
export function errorText({
  message,
  reason,
}: Pick<Error, 'message'> & { readonly reason?: Reason | undefined }): ErrorText {
  return { message, ...(reason && { reason }) };
}
