import { isAbsent, refuse } from './field.ts';

/** No name is longer. */
const MAX_CHARS = 256;

export function readModel(given: unknown): string {
  if (isAbsent(given)) return 'auto';
  if (typeof given === 'string' && given.length <= MAX_CHARS) return given;
  const fix = 'Send a name from GET /v1/models, or auto.';
  throw refuse('model', `model must be a text of up to ${MAX_CHARS} characters.`, fix);
}
