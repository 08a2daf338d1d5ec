import type { Json, JsonObject } from '#core/json/json.ts';
import {
  createWorkBudget,
  intersectSchemas,
  MAX_SCHEMA_DEPTH,
  spend,
  valuesOf,
  type WorkBudget,
} from './intersect-schemas.ts';
import {
  createSchemaRefs,
  inferType,
  isList,
  isNode,
  isOfType,
  ownProperty,
  ROOT_REF,
  typeOfValue,
  TYPES,
  typesOf,
  without,
  type SchemaRefs,
  type SchemaType,
} from './schema-node.ts';
import { annotate, writeType } from './write-type.ts';

/** Nodes beyond this allow anything, so that the output is bounded. */
const MAX_NODES = 20_000;
/** Moonshot's limits for `anyOf` and `enum`. */
const MAX_CHOICES = 10;
const MAX_VALUES = 500;

/** All types: a schema without a type is refused. */
const ANYTHING = TYPES.filter((type) => type !== 'integer');
const ANNOTATIONS = ['description', 'title', 'default', 'examples', '$comment', '$schema', '$id'];
const CHOICES = ['anyOf', 'oneOf'];

interface Work {
  readonly refs: SchemaRefs;
  readonly effort: WorkBudget;
  nodes: number;
}

/**
 * Converts a JSON Schema to Moonshot's flavour (MFJS): an object at the root, a type for every node
 * but none beside `anyOf` or `$ref`, enum values of one type, definitions at the root only. What
 * the flavour cannot express is widened, so that every value that was valid stays valid, and
 * described in the description.
 *
 * References stay references into `$defs`. A reference with its own description is inlined, because
 * nothing may stand beside `$ref`. A node without a type gets the type of its keywords.
 */
export function toMoonshotSchema(schema: JsonObject): JsonObject {
  const work: Work = { refs: createSchemaRefs(schema), effort: createWorkBudget(), nodes: 0 };
  const written = writeRoot(schema, work);
  // The root has to be an object.
  const root = written['type'] === 'object' ? written : annotate(schema, { type: 'object' });
  const definitions: [string, Json][] = [];
  // Writing a definition may add others to the end of the list.
  for (let index = 0; index < work.refs.named.length; index += 1) {
    const named = work.refs.named[index];
    if (named) definitions.push([named.name, write(named.node, work, 1, 'keep')]);
  }
  if (definitions.length === 0) return root;
  return { ...root, $defs: Object.fromEntries(definitions) };
}

/**
 * Writes the root. An `anyOf` at the root becomes one object with the properties of all branches.
 */
function writeRoot(schema: JsonObject, work: Work): JsonObject {
  const flat = without(flatten(schema, work, []), ['enum', 'const']);
  const choices = choicesOf(flat);
  if (!choices) return write({ ...flat, type: 'object' }, work, 0, 'keep');
  const rest = without(flat, CHOICES);
  // Dropping some branches would refuse what only they allow.
  if (choices.length + work.nodes > MAX_NODES)
    return write({ ...rest, type: 'object' }, work, 0, 'keep');
  const objects = choices
    .map((choice) => flatten(isNode(choice) ? choice : {}, work, []))
    .filter((choice) => typesOf(choice)?.includes('object') !== false);
  return write({ ...joined(rest, objects, work), type: 'object' }, work, 0, 'keep');
}

function joined(rest: JsonObject, objects: readonly JsonObject[], work: Work): JsonObject {
  if (objects.length === 0) return rest;
  const members = new Map<string, Json[]>();
  for (const object of objects) {
    const properties = ownProperty(object, 'properties');
    for (const [name, node] of Object.entries(isNode(properties) ? properties : {}))
      if (members.has(name)) members.get(name)?.push(node);
      else members.set(name, [node]);
  }
  const required = new Map<string, number>();
  for (const object of objects)
    for (const name of new Set(namesOf(ownProperty(object, 'required'))))
      required.set(name, (required.get(name) ?? 0) + 1);
  const union: JsonObject = {
    properties: Object.fromEntries(
      [...members].map(([name, nodes]) => [
        name,
        nodes.length === 1 ? (nodes[0] ?? {}) : { anyOf: nodes },
      ]),
    ),
    required: [...required].flatMap(([name, times]) => (times === objects.length ? [name] : [])),
    ...(objects.every(isClosed) && { additionalProperties: false }),
  };
  return intersectSchemas(rest, union, work.effort) ?? rest;
}

function isClosed(object: JsonObject): boolean {
  const isByPattern = Object.hasOwn(object, 'patternProperties');
  return ownProperty(object, 'additionalProperties') === false && !isByPattern;
}

function namesOf(required: Json | undefined): readonly string[] {
  return isList(required) ? required.filter((name) => typeof name === 'string') : [];
}

function write(
  value: Json | undefined,
  work: Work,
  depth: number,
  refs: 'keep' | 'inline',
): JsonObject {
  work.nodes += 1;
  if (!isNode(value)) return anything({});
  if (depth > MAX_SCHEMA_DEPTH || work.nodes > MAX_NODES) return anything(value);
  const ref = ownProperty(value, '$ref');
  if (typeof ref === 'string') return writeRef(value, ref, work, depth, refs);
  const node = ownProperty(value, 'allOf') === undefined ? value : flatten(value, work, []);
  const choices = choicesOf(node);
  if (choices) return writeChoices(node, choices, work, depth, refs);
  const values = valuesOf(node);
  if (values) return writeValues(node, values);
  const types = typesOf(node);
  if (types && types.length > 1) {
    const branches = types.map((type) =>
      write({ ...without(node, ANNOTATIONS), type }, work, depth + 1, refs),
    );
    return choice(node, branches);
  }
  const type = types?.[0] ?? inferType(node);
  if (type === undefined) return anything(node);
  return writeType(node, type, (inner) => write(inner, work, depth + 1, refs));
}

function writeRef(
  value: JsonObject,
  ref: string,
  work: Work,
  depth: number,
  refs: 'keep' | 'inline',
): JsonObject {
  const target = work.refs.find(ref);
  if (!target) return write(without(value, ['$ref']), work, depth, refs);
  const hasOwnDescription = typeof ownProperty(value, 'description') === 'string';
  // Only one level is inlined, because references may be circular.
  const mayInline = hasOwnDescription && refs === 'keep' && target.pointer !== ROOT_REF;
  if (mayInline && spend(work.effort, () => Object.keys(target.node).length)) {
    const annotations = Object.fromEntries(
      ANNOTATIONS.flatMap((key) => (Object.hasOwn(value, key) ? [[key, value[key] ?? null]] : [])),
    );
    return write({ ...target.node, ...annotations }, work, depth, 'inline');
  }
  return { $ref: target.pointer === ROOT_REF ? ROOT_REF : `#/$defs/${work.refs.nameOf(target)}` };
}

function writeChoices(
  node: JsonObject,
  choices: readonly Json[],
  work: Work,
  depth: number,
  refs: 'keep' | 'inline',
): JsonObject {
  const rest = without(node, [...CHOICES, ...ANNOTATIONS]);
  const isPlain = Object.keys(rest).length === 0;
  const branches = choices.flatMap((one): JsonObject[] => {
    if (isPlain || work.nodes > MAX_NODES) return [write(one, work, depth + 1, refs)];
    const both = intersectSchemas(rest, flatten(isNode(one) ? one : {}, work, []), work.effort);
    return both ? [write(both, work, depth + 1, refs)] : [];
  });
  // No branch is compatible with the rest, so the schema allows nothing; the rest is written alone.
  if (branches.length === 0) return write(without(node, CHOICES), work, depth + 1, refs);
  return choice(node, branches);
}

/** Writes `enum` values: one type, or an `anyOf` of types. */
function writeValues(node: JsonObject, values: readonly Json[]): JsonObject {
  const types = typesOf(node);
  const allowed = types
    ? values.filter((value) => types.some((type) => isOfType(value, type)))
    : values;
  const wholeIs = (types ? types.includes('integer') : !hasFraction(values)) ? 'integer' : 'number';
  const groups = new Map<SchemaType, Set<Json>>();
  for (const value of allowed.length === 0 ? values : allowed) {
    const is = typeOfValue(value);
    const type = is === 'integer' ? wholeIs : is;
    groups.set(type, (groups.get(type) ?? new Set()).add(value));
  }
  const branches = [...groups].map(([type, group]): JsonObject => {
    const isNamed =
      type !== 'object' && type !== 'array' && type !== 'null' && values.length <= MAX_VALUES;
    return { type, ...(isNamed && { enum: [...group] }) };
  });
  return branches.length === 0 ? anything(node) : choice(node, branches);
}

function hasFraction(values: readonly Json[]): boolean {
  return values.some((value) => typeof value === 'number' && !Number.isInteger(value));
}

/** Writes an `anyOf` with the annotations of its node. A single branch needs no `anyOf`. */
function choice(node: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const seen = new Set<string>();
  const different = branches.flatMap(opened).filter((branch) => {
    const text = JSON.stringify(branch);
    return !seen.has(text) && seen.add(text);
  });
  const [only] = different;
  if (different.length === 1 && only && !('$ref' in only)) return annotate(node, only);
  const isBareRef = different.length === 1 && !hasAnnotations(node);
  return isBareRef && only ? only : annotate(node, { anyOf: grouped(different) });
}

/** The branches of a nested `anyOf` without annotations. */
function opened(branch: JsonObject): readonly JsonObject[] {
  const inner = ownProperty(branch, 'anyOf');
  if (!isList(inner) || Object.keys(branch).length > 1) return [branch];
  return inner.filter(isNode).flatMap(opened);
}

function grouped(branches: readonly JsonObject[]): readonly JsonObject[] {
  if (branches.length <= MAX_CHOICES) return branches;
  const size = Math.ceil(branches.length / MAX_CHOICES);
  const groups: JsonObject[] = [];
  for (let from = 0; from < branches.length; from += size) {
    const [first, ...others] = branches.slice(from, from + size);
    if (first) groups.push(others.length === 0 ? first : { anyOf: grouped([first, ...others]) });
  }
  return groups;
}

function hasAnnotations(node: JsonObject): boolean {
  return ['description', 'title', 'default'].some((key) => Object.hasOwn(node, key));
}

function anything(node: JsonObject): JsonObject {
  return annotate(node, { anyOf: ANYTHING.map((type) => ({ type })) });
}

function choicesOf(node: JsonObject): readonly Json[] | undefined {
  for (const key of CHOICES) {
    const choices = ownProperty(node, key);
    if (isList(choices) && choices.length > 0) return choices;
  }
  return undefined;
}

/** Resolves `$ref` and `allOf` of a node into one schema. */
function flatten(node: JsonObject, work: Work, on: readonly string[]): JsonObject {
  work.nodes += 1;
  const ref = ownProperty(node, '$ref');
  const all = ownProperty(node, 'allOf');
  const rest = without(node, ['$ref', 'allOf']);
  const isOver =
    on.length > MAX_SCHEMA_DEPTH ||
    work.nodes > MAX_NODES ||
    !spend(work.effort, () => Object.keys(node).length);
  if ((typeof ref !== 'string' && !isList(all)) || isOver) return rest;
  const target = typeof ref === 'string' ? work.refs.find(ref) : undefined;
  // A reference that is already being resolved adds nothing.
  const isNew = target && work.effort.left >= 0 && !on.includes(target.pointer);
  const parts = isList(all) ? all.slice(0, MAX_NODES).filter(isNode) : [];
  return intersectAll(
    [
      rest,
      ...(isNew ? [flatten(target.node, work, [...on, target.pointer])] : []),
      ...parts.map((part) => flatten(part, work, [...on, ''])),
    ],
    work,
  );
}

const MET_AT_ONCE = 32;

/** Intersects a long list in groups, or the result so far would be copied for each part. */
function intersectAll(parts: readonly JsonObject[], work: Work): JsonObject {
  const merged: JsonObject[] = [];
  for (let from = 0; from < parts.length; from += MET_AT_ONCE) {
    const [first = {}, ...others] = parts.slice(from, from + MET_AT_ONCE);
    // A part that contradicts the others is dropped.
    merged.push(
      others.reduce((flat, part) => intersectSchemas(flat, part, work.effort) ?? flat, first),
    );
  }
  return merged.length > 1 ? intersectAll(merged, work) : (merged[0] ?? {});
}
