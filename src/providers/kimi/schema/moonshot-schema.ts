import type { Json, JsonObject } from '#core/json.ts';
import { createEffort, MAX_DEPTH, spend, type Effort } from './effort.ts';
import { meet, valuesOf } from './meet.ts';
import { createRefs, ROOT_REF, type Refs } from './refs.ts';
import {
  inferType,
  isList,
  isNode,
  isOfType,
  own,
  TYPES,
  typeOfValue,
  typesOf,
  without,
  type SchemaType,
} from './schema-node.ts';
import { annotate, writeType } from './write-type.ts';

/** More nodes allow anything: no tool of anybody's is like that, and nothing may grow without bound. */
const MAX_NODES = 20_000;
/** Moonshot refuses longer lists of choices, and more named values. */
const MAX_CHOICES = 10;
const MAX_VALUES = 500;

/** Everything, said with types, as a schema without any is refused. */
const ANYTHING = TYPES.filter((type) => type !== 'integer');
const ANNOTATIONS = ['description', 'title', 'default', 'examples', '$comment', '$schema', '$id'];
const CHOICES = ['anyOf', 'oneOf'];

interface Work {
  readonly refs: Refs;
  readonly effort: Effort;
  nodes: number;
}

/**
 * A schema in Moonshot's own flavour (MFJS), as its published rules have it: an object at the root, a type for every node, none
 * beside a choice or a reference, values of one type, definitions at the root alone. What the flavour cannot say is widened,
 * so that whatever satisfied the schema still does; what a model should know all the same is put into the description.
 *
 * References stay references, into `$defs`; one with a description of its own is replaced by what it refers to, because nothing may
 * stand beside it. A schema that gives keywords of one type and no type is taken at its meaning.
 */
export function toMoonshotSchema(schema: JsonObject): JsonObject {
  const work: Work = { refs: createRefs(schema), effort: createEffort(), nodes: 0 };
  const written = writeRoot(schema, work);
  // The root has to be an object, also where nothing more can be said of it.
  const root = written['type'] === 'object' ? written : annotate(schema, { type: 'object' });
  const definitions: [string, Json][] = [];
  // Writing one may name others, which come to the end of the list.
  for (let index = 0; index < work.refs.named.length; index += 1) {
    const named = work.refs.named[index];
    if (named) definitions.push([named.name, write(named.node, work, 1, 'keep')]);
  }
  if (definitions.length === 0) return root;
  return { ...root, $defs: Object.fromEntries(definitions) };
}

/** A choice at the root becomes one object with the members of all of them, each as whoever names it has it. */
function writeRoot(schema: JsonObject, work: Work): JsonObject {
  const flat = without(flatten(schema, work, []), ['enum', 'const']);
  const choices = choicesOf(flat);
  if (!choices) return write({ ...flat, type: 'object' }, work, 0, 'keep');
  const rest = without(flat, CHOICES);
  // To leave out some of the choices would refuse what only they allow.
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
    const properties = own(object, 'properties');
    for (const [name, node] of Object.entries(isNode(properties) ? properties : {}))
      if (members.has(name)) members.get(name)?.push(node);
      else members.set(name, [node]);
  }
  const required = new Map<string, number>();
  for (const object of objects)
    for (const name of new Set(namesOf(own(object, 'required'))))
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
  return meet(rest, union, work.effort) ?? rest;
}

function isClosed(object: JsonObject): boolean {
  const isByPattern = Object.hasOwn(object, 'patternProperties');
  return own(object, 'additionalProperties') === false && !isByPattern;
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
  if (depth > MAX_DEPTH || work.nodes > MAX_NODES) return anything(value);
  const ref = own(value, '$ref');
  if (typeof ref === 'string') return writeRef(value, ref, work, depth, refs);
  const node = own(value, 'allOf') === undefined ? value : flatten(value, work, []);
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
  const hasOwnWords = typeof own(value, 'description') === 'string';
  // Only one level is replaced: what it refers to in turn may lead back here.
  const mayInline = hasOwnWords && refs === 'keep' && target.pointer !== ROOT_REF;
  if (mayInline && spend(work.effort, () => Object.keys(target.node).length)) {
    const words = Object.fromEntries(
      ANNOTATIONS.flatMap((key) => (Object.hasOwn(value, key) ? [[key, value[key] ?? null]] : [])),
    );
    return write({ ...target.node, ...words }, work, depth, 'inline');
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
    const both = meet(rest, flatten(isNode(one) ? one : {}, work, []), work.effort);
    return both ? [write(both, work, depth + 1, refs)] : [];
  });
  // When no branch fits what stands beside them, the schema allows nothing; then what stands beside them has to do.
  if (branches.length === 0) return write(without(node, CHOICES), work, depth + 1, refs);
  return choice(node, branches);
}

/** Named values: all of one type, or a choice between the types. */
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

/** A choice with the words of the node that it stands for. One alone is no choice. */
function choice(node: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const seen = new Set<string>();
  const different = branches.flatMap(opened).filter((branch) => {
    const text = JSON.stringify(branch);
    return !seen.has(text) && seen.add(text);
  });
  const [only] = different;
  if (different.length === 1 && only && !('$ref' in only)) return annotate(node, only);
  const isBareRef = different.length === 1 && !hasWords(node);
  return isBareRef && only ? only : annotate(node, { anyOf: grouped(different) });
}

/** The choices of a choice that says nothing itself. */
function opened(branch: JsonObject): readonly JsonObject[] {
  const inner = own(branch, 'anyOf');
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

function hasWords(node: JsonObject): boolean {
  return ['description', 'title', 'default'].some((key) => Object.hasOwn(node, key));
}

function anything(node: JsonObject): JsonObject {
  return annotate(node, { anyOf: ANYTHING.map((type) => ({ type })) });
}

function choicesOf(node: JsonObject): readonly Json[] | undefined {
  for (const key of CHOICES) {
    const choices = own(node, key);
    if (isList(choices) && choices.length > 0) return choices;
  }
  return undefined;
}

/** The node with what it refers to and all that it must satisfy besides in one. */
function flatten(node: JsonObject, work: Work, on: readonly string[]): JsonObject {
  work.nodes += 1;
  const ref = own(node, '$ref');
  const all = own(node, 'allOf');
  const rest = without(node, ['$ref', 'allOf']);
  const isOver =
    on.length > MAX_DEPTH ||
    work.nodes > MAX_NODES ||
    !spend(work.effort, () => Object.keys(node).length);
  if ((typeof ref !== 'string' && !isList(all)) || isOver) return rest;
  const target = typeof ref === 'string' ? work.refs.find(ref) : undefined;
  // What is being taken in already adds nothing the second time.
  const isNew = target && work.effort.left >= 0 && !on.includes(target.pointer);
  const parts = isList(all) ? all.slice(0, MAX_NODES).filter(isNode) : [];
  return metAll(
    [
      rest,
      ...(isNew ? [flatten(target.node, work, [...on, target.pointer])] : []),
      ...parts.map((part) => flatten(part, work, [...on, ''])),
    ],
    work,
  );
}

const MET_AT_ONCE = 32;

/** A long list is met in groups, or what was met already would be copied once for each part. */
function metAll(parts: readonly JsonObject[], work: Work): JsonObject {
  const met: JsonObject[] = [];
  for (let from = 0; from < parts.length; from += MET_AT_ONCE) {
    const [first = {}, ...others] = parts.slice(from, from + MET_AT_ONCE);
    // A part that contradicts the others is left out.
    met.push(others.reduce((flat, part) => meet(flat, part, work.effort) ?? flat, first));
  }
  return met.length > 1 ? metAll(met, work) : (met[0] ?? {});
}
