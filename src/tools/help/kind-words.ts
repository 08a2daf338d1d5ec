import type { Json, JsonObject } from '#core/json.ts';

/** Deeper is for who reads the schema. */
const MAX_DEPTH = 3;
const MAX_FIELDS = 30;

/** What a schema takes, in a few words: `list of {model: text, stance?: for | against}`. */
export function kindWords(schema: Json | undefined, depth = 0): string {
  const { type, enum: words, anyOf, items, properties, required, const: only } = objectOf(schema);
  if (Array.isArray(words)) return words.join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf)) return anyOf.map((each) => kindWords(each, depth)).join(' or ');
  if (type === 'array') return `list of ${kindWords(items, depth)}`;
  if (type === 'object' && properties !== undefined && depth < MAX_DEPTH) {
    return fieldWords(objectOf(properties), requiredOf(required), depth + 1);
  }
  return (typeof type === 'string' ? KINDS[type] : undefined) ?? 'anything';
}

function fieldWords(fields: JsonObject, needed: ReadonlySet<Json>, depth: number): string {
  const all = Object.entries(fields);
  const shown = all
    .slice(0, MAX_FIELDS)
    .map(([name, schema]) => `${name}${needed.has(name) ? '' : '?'}: ${kindWords(schema, depth)}`);
  const more = all.length > MAX_FIELDS ? ['…'] : [];
  return `{${[...shown, ...more].join(', ')}}`;
}

export function requiredOf(required: Json | undefined): ReadonlySet<Json> {
  return new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
}

export function objectOf(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as JsonObject)
    : {};
}

const KINDS: Readonly<Partial<Record<string, string>>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true | false',
  object: 'object',
  null: 'null',
};
