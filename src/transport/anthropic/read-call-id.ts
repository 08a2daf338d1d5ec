import { fieldError, readText } from '../gateway/fields.ts';

/** Longer than any vendor's. */
const MAX_CHARS = 512;

/** The id of a call of a tool. */
export function readCallId(value: unknown, field: string): string {
  const id = readText(value, field);
  if (id !== '' && id.length <= MAX_CHARS) return id;
  const message = `An id has 1 to ${MAX_CHARS} characters.`;
  throw fieldError(field, message, 'Send the id of the tool_use block as the model gave it.');
}
