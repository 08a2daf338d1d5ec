import { referenceFaultIn } from '#core/json-schema/reference-fault.ts';
import type { JsonObject } from '#core/json/json.ts';
import {
  fieldError,
  isAbsent,
  isJsonObject,
  readNestedObject,
  readObject,
  type JsonFields,
} from './fields.ts';

/** The types of JSON Schema. */
const TYPES: readonly unknown[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];

/**
 * Reads the JSON Schema of a structured answer; checks its root, its depth, and that an answer can be
 * checked against it.
 */
export function readAnswerSchema(value: unknown, field: string): JsonObject {
  const { type, properties, required } = readObject(value, field);
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every(isType)) {
    const fix = `Use one of: ${TYPES.join(', ')}.`;
    throw fieldError(`${field}.type`, 'The schema has a type that is none.', fix);
  }
  if (!isAbsent(properties) && !isJsonObject(properties)) {
    const fix = 'Send an object with a schema for each name.';
    throw fieldError(`${field}.properties`, 'The properties must be an object.', fix);
  }
  if (!isAbsent(required) && !(Array.isArray(required) && required.every(isText))) {
    const fix = 'Send a list of names.';
    throw fieldError(`${field}.required`, 'What is required must be a list of names.', fix);
  }
  return readReferences(value, field);
}

/** Reads the JSON Schema of a tool's arguments; checks its root, its depth and its references. */
export function readArgumentsSchema(value: unknown, name: string, field: string): JsonObject {
  if (isJsonObject(value) && isObjectSchema(value)) return readReferences(value, field);
  const fix = 'Send a JSON Schema like {"type": "object", "properties": {}}.';
  throw fieldError(field, `The arguments of ${name} must have the schema of an object.`, fix);
}

function readReferences(value: unknown, field: string): JsonObject {
  const schema = readNestedObject(value, field);
  const fault = referenceFaultIn(schema);
  if (!fault) return schema;
  const { is, path } = fault;
  if (is === 'dangling') {
    const fix = 'Add the schema that it names, such as one in $defs, or correct the reference.';
    throw fieldError(field + path, 'The schema has a reference that leads nowhere.', fix);
  }
  const fix = 'Let its references lead to a type, to properties or to items.';
  throw fieldError(field + path, 'The schema refers to itself without describing a value.', fix);
}

function isObjectSchema({ type, properties }: JsonFields): boolean {
  return (
    (type === undefined || type === 'object') && (isAbsent(properties) || isJsonObject(properties))
  );
}

function isType(value: unknown): boolean {
  return TYPES.includes(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
