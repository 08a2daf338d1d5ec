import { CallError } from '#core/call-error.ts';
import { ANSWER_LIMITS, type JsonLimits } from '#core/json-guard.ts';

/** What is built in parts, with pauses: a list of thousands of models, or 64 vectors of 12,000 numbers. */
export const IN_PARTS: JsonLimits = { ...ANSWER_LIMITS, maxCost: 1_000_000 };

/** Of a list, or of vectors: one string of this size is built within 40 ms, whatever it holds. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Of a whole answer of a model, of which its text is `MAX_ANSWER_CHARS` at most. */
export const MAX_CHAT_BYTES = 8 * 1024 * 1024;

export function tooMuchJson(title: string): CallError {
  const message = `The answer of ${title} is nested too deeply, or has too many members.`;
  return new CallError('bad_response', message, { retry: 'never' });
}

export function tooManyBytes(title: string, maxBytes: number): CallError {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const message = `The answer of ${title} has more than ${megabytes} MB.`;
  return new CallError('bad_response', message, { retry: 'never' });
}
