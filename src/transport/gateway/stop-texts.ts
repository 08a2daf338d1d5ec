import { fieldError, fieldProblem, readString } from './fields.ts';

/** Longer stop texts do not occur, and would hold back too much of a stream. */
const MAX_STOP_CHARS = 1000;

/** Reads a stop text or a list of at most `max`; undefined if there are none. */
export function readStopTexts(
  value: unknown,
  field: string,
  max: number,
): readonly string[] | undefined {
  const isList = Array.isArray(value);
  const stops: readonly unknown[] = isList ? value : [value];
  if (stops.length > max) {
    const message = `There are ${stops.length} stop texts, and ${max} are the most.`;
    throw fieldError(field, message, 'Leave some out.');
  }
  const texts = stops.map((stop, index) => {
    const at = isList ? `${field}[${index}]` : field;
    const text = readString(stop, at);
    if (text === '') {
      throw fieldError(at, 'An empty text ends every answer before it begins.', 'Leave it out.');
    }
    if (text.length <= MAX_STOP_CHARS) return text;
    throw fieldProblem(at, `must have up to ${MAX_STOP_CHARS} characters`, 'Shorten it.');
  });
  return texts.length === 0 ? undefined : [...new Set(texts)];
}
