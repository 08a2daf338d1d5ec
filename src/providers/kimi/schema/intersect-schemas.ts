import type { Json, JsonObject } from '#core/json/json.ts';
import { isList, isNode, ownProperty, typesOf, type SchemaType } from './schema-node.ts';

/** Of two limits the narrower one applies. */
const HIGHER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const LOWER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/**
 * Intersects two schemas. The result is a little wider where one schema cannot express it or where
 * it would be too much work. Nothing when no value satisfies both.
 */
export function intersectSchemas(
  a: JsonObject,
  b: JsonObject,
  effort: WorkBudget,
  depth = 0,
): JsonObject | undefined {
  if (depth > MAX_SCHEMA_DEPTH || !spend(effort, () => weightOf(a) + weightOf(b))) return a;
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
  for (const key of HIGHER) take(key, narrower(ownProperty(a, key), ownProperty(b, key), Math.max));
  for (const key of LOWER) take(key, narrower(ownProperty(a, key), ownProperty(b, key), Math.min));
  take(
    'properties',
    bothMembers(ownProperty(a, 'properties'), ownProperty(b, 'properties'), bothNodes),
  );
  take(
    'patternProperties',
    bothMembers(
      ownProperty(a, 'patternProperties'),
      ownProperty(b, 'patternProperties'),
      bothNodes,
    ),
  );
  take('required', bothNames(ownProperty(a, 'required'), ownProperty(b, 'required')));
  take('items', bothNodes(ownProperty(a, 'items'), ownProperty(b, 'items')));
  if (
    ownProperty(a, 'additionalProperties') === false ||
    ownProperty(b, 'additionalProperties') === false
  )
    met.set('additionalProperties', false);
  // Of two `anyOf` only one can be kept; the inner one is more specific.
  for (const key of ['anyOf', 'oneOf', 'prefixItems']) take(key, ownProperty(b, key));
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

/** The values of `const` or `enum`. */
export function valuesOf(node: JsonObject): readonly Json[] | undefined {
  const only = ownProperty(node, 'const');
  if (only !== undefined) return [only];
  const some = ownProperty(node, 'enum');
  return isList(some) ? some : undefined;
}

function commonValues(a: JsonObject, b: JsonObject): readonly Json[] | undefined {
  const [left, right] = [valuesOf(a), valuesOf(b)];
  if (!left || !right) return left ?? right;
  const known = new Set(right.map(keyOf));
  return left.filter((value) => known.has(keyOf(value)));
}

/** A key for comparing values; all that are nested too deeply count as equal. */
function keyOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply for `JSON.stringify`.
    return '';
  }
}

/** The cost of copying a node. */
function weightOf(node: JsonObject): number {
  const parts = ['properties', 'patternProperties', 'required', 'enum'].map((key) =>
    ownProperty(node, key),
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
  effort: WorkBudget,
  depth: number,
): Json | undefined {
  if (!isNode(a) || !isNode(b)) return isNode(a) ? a : (b ?? a);
  // References are not resolved here.
  if ('$ref' in a || '$ref' in b) return '$ref' in b ? a : b;
  return intersectSchemas(a, b, effort, depth) ?? b;
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

/** Deeper nodes allow anything. */
export const MAX_SCHEMA_DEPTH = 40;
const MAX_COPIED = 100_000;

/**
 * A work budget for intersecting schemas. A schema may refer to large parts of itself many times,
 * and the output must not grow quadratically.
 */
export interface WorkBudget {
  left: number;
}

export function createWorkBudget(): WorkBudget {
  return { left: MAX_COPIED };
}

/**
 * Spends from the budget and returns whether it was enough. The cost is not computed once the
 * budget is used up.
 */
export function spend(effort: WorkBudget, countMembers: () => number): boolean {
  if (effort.left < 0) return false;
  effort.left -= countMembers() + 1;
  return effort.left >= 0;
}
