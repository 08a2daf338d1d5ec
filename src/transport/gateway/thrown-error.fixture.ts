import { CallError } from '#core/errors/call-error.ts';

/** The class and field of the thrown error; `taken` if there is none. */
export function errorClassAndField(work: () => unknown): string {
  const thrown = thrownError(work);
  return thrown ? `${thrown.class} ${thrown.field}` : 'taken';
}

/** Whether a body was accepted, or rejected with a complete error: class, field and fix. */
export function isAcceptedOrExplained(read: () => unknown): boolean {
  const thrown = thrownError(read);
  if (!thrown) return true;
  const { class: errorClass, field = '', fix = '' } = thrown;
  const isRequestError = errorClass === 'validation' || errorClass === 'bad_request';
  return isRequestError && field !== '' && fix.endsWith('.');
}

/** The CallError that is thrown, if any; other errors are bugs. */
export function thrownError(work: () => unknown): CallError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}
