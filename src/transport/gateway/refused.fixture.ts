import { CallError } from '#core/call-error.ts';

/** The class and the field of what is thrown. */
export function refusedBy(work: () => unknown): string {
  const thrown = thrownBy(work);
  return thrown ? `${thrown.class} ${thrown.field}` : 'taken';
}

/** Whether a body was taken, or refused as every bad one has to be: by one error, with its field and what to do. */
export function isJudged(read: () => unknown): boolean {
  const thrown = thrownBy(read);
  if (!thrown) return true;
  const { class: errorClass, field = '', fix = '' } = thrown;
  const isOfTheRequest = errorClass === 'validation' || errorClass === 'bad_request';
  return isOfTheRequest && field !== '' && fix.endsWith('.');
}

/** What is thrown, if it is an error of ours; anything else is a bug. */
export function thrownBy(work: () => unknown): CallError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}
