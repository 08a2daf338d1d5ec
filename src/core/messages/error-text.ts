import type { Reason } from './reasons.ts';

/** An error within another message: what it says, and the same as data where there is such. */
export interface ErrorText {
  readonly message: string;
  readonly reason?: Reason;
}

/** Of an error, what is JSON. */
export function errorText({
  message,
  reason,
}: Pick<Error, 'message'> & { readonly reason?: Reason | undefined }): ErrorText {
  return { message, ...(reason && { reason }) };
}
