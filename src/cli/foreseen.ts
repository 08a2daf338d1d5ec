import { CallError } from '#core/call-error.ts';

/** What went wrong for a reason that was foreseen; throws what was not, so that its place is reported. */
export function foreseen(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'internal' && error.fixes.length === 0) throw thrown;
  return error;
}
