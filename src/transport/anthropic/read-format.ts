import type { ResponseFormat } from '#core/chat.ts';
import { isAbsent, readFields, readShallow, refuse } from './body-fields.ts';

/** The form of the answer; nothing for plain text. */
export function readFormat(value: unknown, field: string): ResponseFormat | undefined {
  if (isAbsent(value)) return undefined;
  const { type, schema } = readFields(value, field);
  if (type !== 'json_schema') throw refuse(`${field}.type`, 'This must be "json_schema".');
  return { type, name: 'answer', schema: readShallow(schema, `${field}.schema`) };
}
