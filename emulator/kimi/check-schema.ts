import { isObject, type Dictionary } from '../is-object.ts';
import { invalid } from './errors.ts';

const MAX_DEPTH = 64;

/**
 * Moonshot's flavour of JSON Schema: an object at the root, a type for everything, none beside
 * `anyOf`, no tuples in `items`.
 */
export function checkSchema(schema: unknown): void {
  if (!isObject(schema)) throw refuse('', 'schema must be an object');
  if (schema['type'] !== 'object') throw refuse('', 'root type must be object');
  walk(schema, '', 0);
}

const refuse = (path: string, detail: string) =>
  invalid(
    `Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '${path}': ${detail}>`,
  );

function walk(schema: Dictionary, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw refuse(path, 'schema is nested too deeply');
  const branches = schema['anyOf'];
  if (Array.isArray(branches) && schema['type'] !== undefined)
    throw refuse(
      path,
      'when using anyOf, type should be defined in anyOf items instead of the parent schema',
    );
  if (schema['type'] === undefined && branches === undefined && schema['$ref'] === undefined)
    throw refuse(path, 'type is not defined');
  if (Array.isArray(schema['items']))
    throw refuse(join(path, 'items'), 'items must be a schema, use prefixItems for tuples');
  const inner: [string, unknown][] = [
    ...entries(schema['properties'], 'properties'),
    ...entries(schema['$defs'], '$defs'),
    ...list(branches, 'anyOf'),
    ...list(schema['prefixItems'], 'prefixItems'),
    ...(isObject(schema['items']) ? [['items', schema['items']] as [string, unknown]] : []),
  ];
  for (const [name, one] of inner) {
    if (!isObject(one)) throw refuse(join(path, name), 'schema must be an object');
    walk(one, join(path, name), depth + 1);
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const entries = (value: unknown, name: string): [string, unknown][] =>
  isObject(value) ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]) : [];

const list = (value: unknown, name: string): [string, unknown][] =>
  Array.isArray(value) ? value.map((one, index) => [`${name}.${index}`, one]) : [];
