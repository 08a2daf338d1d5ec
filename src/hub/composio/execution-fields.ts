import { asObject, type Unknown } from '#core/json/json.ts';

/** Whether an object is the answer of an execution. */
export function isExecution(answer: Unknown): boolean {
  return 'data' in answer || 'error' in answer || 'successful' in answer;
}

/** What a tool answered. Data that is not an object is under `value`. */
export function readData({ data }: Unknown): Unknown {
  return asObject(data) ?? (data === undefined || data === null ? {} : { value: data });
}

/** What an answer says about its failure; null for a success. Some only say that they failed. */
export function failureOfExecution({ error, successful }: Unknown): string | null {
  const isSilent = error === undefined || error === null || error === '' || error === false;
  if (isSilent) return successful === false ? 'The tool reported a failure.' : null;
  return messageOf(error) ?? JSON.stringify(error);
}

/** An error is a text, or an object with one. */
export function messageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error === '' ? undefined : error;
  const message = asObject(error)?.['message'];
  return typeof message === 'string' && message !== '' ? message : undefined;
}
