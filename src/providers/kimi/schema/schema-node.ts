import type { Json, JsonObject } from '#core/json/json.ts';

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];

/** The type that each keyword belongs to, for schemas without a type. */
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

/** An own property, so that `__proto__` and the like are not found. */
export function ownProperty(node: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(node, key) ? node[key] : undefined;
}

export function without(node: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

/** The valid types of a node; nothing when it has none. */
export function typesOf(node: JsonObject): readonly SchemaType[] | undefined {
  const named = ownProperty(node, 'type');
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

export const ROOT_REF = '#';
const MAX_HOPS = 16;
const MAX_NAME_CHARS = 64;
/** Long names are cut a bit more, so that a number fits behind them. */
const CUT_NAME_CHARS = 56;

/** The target of a reference, after chains of references. */
interface RefTarget {
  /** `#` for the whole schema, else the JSON pointer. */
  readonly pointer: string;
  readonly node: JsonObject;
}

/** Resolves references; each target gets one name in `$defs`. */
export interface SchemaRefs {
  /** Nothing when it is external, missing or circular. */
  find(ref: string): RefTarget | undefined;
  nameOf(target: RefTarget): string;
  /** The named targets in order; grows while they are written. */
  readonly named: readonly (RefTarget & { readonly name: string })[];
}

export function createSchemaRefs(root: JsonObject): SchemaRefs {
  const named: (RefTarget & { readonly name: string })[] = [];
  const byPointer = new Map<string, string>();
  const names = new Set<string>();
  /** The next number for each base name. */
  const numbers = new Map<string, number>();
  return {
    named,
    find(ref) {
      let pointer = ref;
      for (let hop = 0; hop < MAX_HOPS; hop += 1) {
        const node = lookUp(root, pointer);
        if (!isNode(node)) return undefined;
        const next = ownProperty(node, '$ref');
        if (typeof next !== 'string')
          return { pointer: pointer === '#/' ? ROOT_REF : pointer, node };
        pointer = next;
      }
      return undefined;
    },
    nameOf(target) {
      const known = byPointer.get(target.pointer);
      if (known !== undefined) return known;
      const base = baseName(target.pointer);
      let number = numbers.get(base) ?? 1;
      let name = base;
      while (names.has(name)) {
        number += 1;
        name = `${base}_${number}`;
      }
      numbers.set(base, number);
      names.add(name);
      byPointer.set(target.pointer, name);
      named.push({ ...target, name });
      return name;
    },
  };
}

/** Definitions keep their names; other targets are named after their path. */
function baseName(pointer: string): string {
  const steps = stepsOf(pointer) ?? [];
  const [first = '', second] = steps;
  const isDefinition =
    steps.length === 2 && second !== undefined && (first === '$defs' || first === 'definitions');
  const words = isDefinition ? second : steps.join('_');
  const plain = words.replaceAll(/[^\w.-]+/gu, '_') || 'part';
  return plain.length > MAX_NAME_CHARS ? plain.slice(0, CUT_NAME_CHARS) : plain;
}

function lookUp(root: JsonObject, ref: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of stepsOf(ref) ?? [undefined]) {
    if (step === undefined || at === undefined) return undefined;
    if (isNode(at)) at = ownProperty(at, step);
    else at = isList(at) && /^\d{1,6}$/.test(step) ? at[Number(step)] : undefined;
  }
  return at;
}

/** The steps of a local JSON pointer; nothing for any other reference. */
function stepsOf(ref: string): readonly string[] | undefined {
  if (ref === ROOT_REF) return [];
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((step) => unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // A lone percent sign is part of the name.
    return step;
  }
}
