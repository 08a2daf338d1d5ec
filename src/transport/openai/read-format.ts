import type { ResponseFormat } from '#core/chat.ts';
import { fieldError, isAbsent, readObject } from '../gateway/fields.ts';
import { readAnswerSchema } from '../gateway/read-schema.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FIELD = 'response_format.json_schema';

/** Nothing for plain text. */
export function readFormat(given: unknown): ResponseFormat | undefined {
  if (isAbsent(given)) return undefined;
  const { type, json_schema: named } = readObject(given, 'response_format');
  switch (type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return readNamed(named);
    default: {
      const fix = 'Send text, json_object or json_schema.';
      throw fieldError('response_format.type', 'There is no such format.', fix);
    }
  }
}

function readNamed(given: unknown): ResponseFormat {
  const { name, schema } = readObject(given, FIELD);
  if (typeof name !== 'string' || !NAME.test(name)) {
    const fix = 'Use 1 to 64 letters, digits, _ and -.';
    throw fieldError(`${FIELD}.name`, 'The schema has no name, or one with other characters.', fix);
  }
  return { type: 'json_schema', name, schema: readAnswerSchema(schema, `${FIELD}.schema`) };
}
