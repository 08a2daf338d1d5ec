import { fieldError, isAbsent } from './fields.ts';

/** No name is longer. */
const MAX_CHARS = 256;

/** The name of a model; an app whose setting is empty has told none. */
export function readModel(value: unknown): string {
  if (isAbsent(value) || value === '') return 'auto';
  if (typeof value === 'string' && value.length <= MAX_CHARS) return value;
  const fix = 'Send a name from GET /v1/models, or auto.';
  throw fieldError('model', `model must be a text of up to ${MAX_CHARS} characters.`, fix);
}
