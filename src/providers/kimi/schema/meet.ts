import type { Json, JsonObject } from '#core/json.ts';
import { MAX_DEPTH, spend, type Effort } from './effort.ts';
import { isList, isNode, own, typesOf, type SchemaType } from './schema-node.ts';

/** Of two limits the narrower one holds. */
const HIGHER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const LOWER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/**
 * One schema for what satisfies both, or something a little wider where no single schema says it, or where that would be too
 * much work. Nothing when no value can satisfy both.
 */
export function meet(
  a: JsonObject,
  b: JsonObject,
  effort: Effort,
  depth = 0,
): JsonObject | undefined {
  if (depth > MAX_DEPTH || !spend(effort, () => weightOf(a) + weightOf(b))) return a;
  const bothNodes = (left: Json | undefined, right: Json | undefined) =>
    meetNodes(left, right, effort, depth + 1);
  const met = new Map<string, Json>([...Object.entries(b), ...Object.entries(a)]);
  const take = (key: string, value: Json | undefined) => value !== undefined && met.set(key, value);

  const types = commonTypes(a, b);
  if (types?.length === 0) return undefined;
  if (types) met.set('type', types.length === 1 ? (types[0] as Json) : types);

  const values = commonValues(a, b);
  if (values?.length === 0) return undefined;
  if (values) {
    met.set('enum', values);
    met.delete('const');
  }
  for (const key of HIGHER) take(key, narrower(own(a, key), own(b, key), Math.max));
  for (const key of LOWER) take(key, narrower(own(a, key), own(b, key), Math.min));
  take('properties', bothMembers(own(a, 'properties'), own(b, 'properties'), bothNodes));
  take(
    'patternProperties',
    bothMembers(own(a, 'patternProperties'), own(b, 'patternProperties'), bothNodes),
  );
  take('required', bothNames(own(a, 'required'), own(b, 'required')));
  take('items', bothNodes(own(a, 'items'), own(b, 'items')));
  if (own(a, 'additionalProperties') === false || own(b, 'additionalProperties') === false)
    met.set('additionalProperties', false);
  // Of two choices only one can be kept; the inner one says more.
  for (const key of ['anyOf', 'oneOf', 'prefixItems']) take(key, own(b, key));
  return Object.fromEntries(met);
}

function commonTypes(a: JsonObject, b: JsonObject): readonly SchemaType[] | undefined {
  const [left, right] = [typesOf(a), typesOf(b)];
  if (!left || !right) return left ?? right;
  const covers = (types: readonly SchemaType[], type: SchemaType) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...left, ...right])].filter(
    (type) => covers(left, type) && covers(right, type),
  );
}

/** The values that a node allows by name. */
export function valuesOf(node: JsonObject): readonly Json[] | undefined {
  const only = own(node, 'const');
  if (only !== undefined) return [only];
  const some = own(node, 'enum');
  return isList(some) ? some : undefined;
}

function commonValues(a: JsonObject, b: JsonObject): readonly Json[] | undefined {
  const [left, right] = [valuesOf(a), valuesOf(b)];
  if (!left || !right) return left ?? right;
  const known = new Set(right.map(keyOf));
  return left.filter((value) => known.has(keyOf(value)));
}

/** Values that are too deep to be written are all alike. */
function keyOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deeply that the engine gives up.
    return '';
  }
}

/** What copying a node costs. */
function weightOf(node: JsonObject): number {
  const parts = ['properties', 'patternProperties', 'required', 'enum'].map((key) =>
    own(node, key),
  );
  const sizes = parts.map((part) =>
    isList(part) ? part.length : isNode(part) ? Object.keys(part).length : 0,
  );
  return sizes.reduce((sum, size) => sum + size, Object.keys(node).length);
}

function narrower(
  a: Json | undefined,
  b: Json | undefined,
  pick: (a: number, b: number) => number,
): number | undefined {
  if (typeof a !== 'number') return typeof b === 'number' ? b : undefined;
  return typeof b === 'number' ? pick(a, b) : a;
}

function meetNodes(
  a: Json | undefined,
  b: Json | undefined,
  effort: Effort,
  depth: number,
): Json | undefined {
  if (!isNode(a) || !isNode(b)) return isNode(a) ? a : (b ?? a);
  // A member that is the same by reference on both sides would have to be looked up to be narrowed.
  if ('$ref' in a || '$ref' in b) return '$ref' in b ? a : b;
  return meet(a, b, effort, depth) ?? b;
}

function bothMembers(
  a: Json | undefined,
  b: Json | undefined,
  bothNodes: (a: Json | undefined, b: Json | undefined) => Json | undefined,
): Json | undefined {
  if (!isNode(a) || !isNode(b)) return isNode(a) ? a : b;
  const all = new Map<string, Json>(Object.entries(a));
  for (const [name, node] of Object.entries(b))
    all.set(name, bothNodes(all.get(name), node) ?? node);
  return Object.fromEntries(all);
}

function bothNames(a: Json | undefined, b: Json | undefined): Json | undefined {
  if (!isList(a) || !isList(b)) return isList(a) ? a : b;
  return [...new Set([...a, ...b])];
}
