import type { ResponseFormat } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { isAbsent, isDeeper, isObject, MAX_DEPTH, readObject, refuse } from './field.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FIELD = 'response_format.json_schema';
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
      return readSchema(named);
    default: {
      const fix = 'Send text, json_object or json_schema.';
      throw refuse('response_format.type', 'There is no such format.', fix);
    }
  }
}

function readSchema(given: unknown): ResponseFormat {
  const { name, schema } = readObject(given, FIELD);
  if (typeof name !== 'string' || !NAME.test(name)) {
    const fix = 'Use 1 to 64 letters, digits, _ and -.';
    throw refuse(`${FIELD}.name`, 'The schema has no name, or one with other characters.', fix);
  }
  if (!isObject(schema)) {
    const fix = 'Send a JSON Schema.';
    throw refuse(`${FIELD}.schema`, 'The schema must be an object.', fix);
  }
  const { type, properties, required } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every(isType)) {
    const fix = `Use one of: ${TYPES.join(', ')}.`;
    throw refuse(`${FIELD}.schema.type`, 'The schema has a type that is none.', fix);
  }
  if (!isAbsent(properties) && !isObject(properties)) {
    const fix = 'Send an object with a schema for each name.';
    throw refuse(`${FIELD}.schema.properties`, 'The properties must be an object.', fix);
  }
  if (!isAbsent(required) && !(Array.isArray(required) && required.every(isText))) {
    const fix = 'Send a list of names.';
    throw refuse(`${FIELD}.schema.required`, 'What is required must be a list of names.', fix);
  }
  if (isDeeper(schema, MAX_DEPTH)) {
    const message = `The schema is nested more than ${MAX_DEPTH} deep.`;
    throw refuse(`${FIELD}.schema`, message, 'Make it flatter.');
  }
  return { type: 'json_schema', name, schema: schema as JsonObject };
}

function isType(value: unknown): boolean {
  return TYPES.includes(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
