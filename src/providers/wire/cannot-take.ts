import { CallError } from '#core/call-error.ts';

/** What this vendor or this model cannot take and others may: the next one is asked, and only when none is left the caller is told. */
export function cannotTake(field: string, message: string, fix: string): CallError {
  return new CallError('bad_request', message, { field, fix });
}
