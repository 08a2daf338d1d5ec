import type { JsonObject } from '#core/json.ts';
import { fieldError, isAbsent, isObject, readObject, type Fields } from './fields.ts';
import { readShallow } from './nesting.ts';

/** Of JSON Schema. */
const TYPES: readonly unknown[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];

/** The schema of an answer: at its root it makes sense, and it can be written down again. */
export function readAnswerSchema(value: unknown, field: string): JsonObject {
  const { type, properties, required } = readObject(value, field);
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every(isType)) {
    const fix = `Use one of: ${TYPES.join(', ')}.`;
    throw fieldError(`${field}.type`, 'The schema has a type that is none.', fix);
  }
  if (!isAbsent(properties) && !isObject(properties)) {
    const fix = 'Send an object with a schema for each name.';
    throw fieldError(`${field}.properties`, 'The properties must be an object.', fix);
  }
  if (!isAbsent(required) && !(Array.isArray(required) && required.every(isText))) {
    const fix = 'Send a list of names.';
    throw fieldError(`${field}.required`, 'What is required must be a list of names.', fix);
  }
  return readShallow(value, field);
}

/** The schema of what the tool of this name takes. */
export function readArgumentsSchema(value: unknown, name: string, field: string): JsonObject {
  if (isObject(value) && isOfObject(value)) return readShallow(value, field);
  const fix = 'Send a JSON Schema like {"type": "object", "properties": {}}.';
  throw fieldError(field, `The arguments of ${name} must have the schema of an object.`, fix);
}

function isOfObject({ type, properties }: Fields): boolean {
  return (
    (type === undefined || type === 'object') && (isAbsent(properties) || isObject(properties))
  );
}

function isType(value: unknown): boolean {
  return TYPES.includes(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
