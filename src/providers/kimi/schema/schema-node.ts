import type { Json, JsonObject } from '#core/json.ts';

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];

/** What each keyword is about, for schemas that leave the type to be understood. */
const ABOUT: readonly (readonly [SchemaType, readonly string[]])[] = [
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
    ],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

export function isNode(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A member that is there itself: `__proto__` and its kin are not. */
export function own(node: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(node, key) ? node[key] : undefined;
}

export function without(node: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

/** The types that a node names, those that no JSON Schema knows left out; nothing when it names none. */
export function typesOf(node: JsonObject): readonly SchemaType[] | undefined {
  const named = own(node, 'type');
  const words = isList(named) ? named : [named];
  const known = TYPES.filter((type) => words.includes(type));
  return known.length === 0 ? undefined : known;
}

export function inferType(node: JsonObject): SchemaType | undefined {
  return ABOUT.find(([, keywords]) => keywords.some((key) => Object.hasOwn(node, key)))?.[0];
}

/** `integer` for whole numbers. */
export function typeOfValue(value: Json): SchemaType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

export function isOfType(value: Json, type: SchemaType): boolean {
  const is = typeOfValue(value);
  return is === type || (is === 'integer' && type === 'number');
}
