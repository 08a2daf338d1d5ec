import type { ResponseFormat } from '#core/chat.ts';
import { fieldError, isAbsent, readObject } from '../gateway/fields.ts';
import { readAnswerSchema } from '../gateway/read-schema.ts';

/** Nothing for plain text. */
export function readFormat(value: unknown, field: string): ResponseFormat | undefined {
  if (isAbsent(value)) return undefined;
  const { type, schema } = readObject(value, field);
  if (type === 'json_schema') {
    return { type, name: 'answer', schema: readAnswerSchema(schema, `${field}.schema`) };
  }
  throw fieldError(`${field}.type`, 'There is no such format.', 'Send json_schema.');
}
