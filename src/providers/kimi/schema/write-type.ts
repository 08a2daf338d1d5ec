import type { Json, JsonObject } from '#core/json/json.ts';
import { isList, isNode, isOfType, ownProperty, type SchemaType } from './schema-node.ts';

type Write = (inner: Json) => JsonObject;

const MAX_NOTE_CHARS = 120;

/** Writes a node of one type, with the keywords that Moonshot supports for it. */
export function writeType(node: JsonObject, type: SchemaType, write: Write): JsonObject {
  return annotate(node, { type, ...KEYWORDS[type](node, write) }, notesOf(node, type));
}

const KEYWORDS: Record<SchemaType, (node: JsonObject, write: Write) => JsonObject> = {
  object: writeObject,
  array: writeArray,
  string: (node) =>
    limits(
      'minLength',
      count(ownProperty(node, 'minLength')),
      'maxLength',
      count(ownProperty(node, 'maxLength')),
    ),
  integer: (node) => numberLimits(node, 'integer'),
  number: (node) => numberLimits(node, 'number'),
  boolean: () => ({}),
  null: () => ({}),
};

function writeObject(node: JsonObject, write: Write): JsonObject {
  const given = ownProperty(node, 'properties');
  const members = new Map<string, Json>(Object.entries(isNode(given) ? given : {}));
  const more = ownProperty(node, 'additionalProperties');
  const required = ownProperty(node, 'required');
  const names = new Set(
    isList(required) ? required.filter((name) => typeof name === 'string') : [],
  );
  // Required names must be in `properties`.
  for (const name of names) if (!members.has(name)) members.set(name, isNode(more) ? more : {});
  // `patternProperties` is not supported, so with it other names cannot be refused.
  const isOpen = isNode(ownProperty(node, 'patternProperties'));
  return {
    ...(members.size > 0 && {
      properties: Object.fromEntries([...members].map(([name, inner]) => [name, write(inner)])),
    }),
    ...(names.size > 0 && { required: [...names] }),
    ...(!isOpen && more === false && { additionalProperties: false }),
    ...(!isOpen &&
      isNode(more) &&
      Object.keys(more).length > 0 && { additionalProperties: write(more) }),
  };
}

/** For tuples `items` is left out: Moonshot would apply it to every element. */
function writeArray(node: JsonObject, write: Write): JsonObject {
  const items = ownProperty(node, 'items');
  const prefix = isList(items) ? items : ownProperty(node, 'prefixItems');
  const isTuple = isList(prefix) && prefix.length > 0;
  return {
    ...(isTuple && { prefixItems: prefix.map(write) }),
    ...(!isTuple && isNode(items) && Object.keys(items).length > 0 && { items: write(items) }),
    ...limits(
      'minItems',
      count(ownProperty(node, 'minItems')),
      'maxItems',
      count(ownProperty(node, 'maxItems')),
    ),
  };
}

/** Exclusive limits become inclusive ones. */
function numberLimits(node: JsonObject, type: 'integer' | 'number'): JsonObject {
  const [from, to] = [figures(node, 'minimum'), figures(node, 'maximum')];
  const [above, below] = [figures(node, 'exclusiveMinimum'), figures(node, 'exclusiveMaximum')];
  const lows =
    type === 'number' ? [...from, ...above] : [...from.map(Math.ceil), ...above.map(next)];
  const highs = type === 'number' ? [...to, ...below] : [...to.map(Math.floor), ...below.map(last)];
  return limits(
    'minimum',
    plain(lows.length === 0 ? undefined : Math.max(...lows), type),
    'maximum',
    plain(highs.length === 0 ? undefined : Math.min(...highs), type),
  );
}

const next = (value: number) => Math.floor(value) + 1;
const last = (value: number) => Math.ceil(value) - 1;

function figures(node: JsonObject, key: string): readonly number[] {
  const value = ownProperty(node, key);
  return typeof value === 'number' ? [value] : [];
}

/** Numbers are written without exponents, integers only within the safe range. */
function plain(value: number | undefined, type: 'integer' | 'number'): number | undefined {
  if (value === undefined) return undefined;
  const isWritable = type === 'integer' ? Number.isSafeInteger(value) : !/e/.test(String(value));
  // There is no negative zero in JSON.
  return isWritable ? value + 0 : undefined;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Contradicting limits are refused, so both are left out. */
function limits(
  lowName: string,
  low: number | undefined,
  highName: string,
  high: number | undefined,
): JsonObject {
  if (low !== undefined && high !== undefined && low > high) return {};
  return {
    ...(low !== undefined && { [lowName]: low }),
    ...(high !== undefined && { [highName]: high }),
  };
}

/** Notes for the description, about keywords that Moonshot does not support. */
function notesOf(node: JsonObject, type: SchemaType): readonly string[] {
  const notes: string[] = [];
  const note = (key: string, label: string) => {
    const value = ownProperty(node, key);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    if (String(value).length <= MAX_NOTE_CHARS) notes.push(`${label}: ${value}.`);
  };
  if (type === 'string') {
    note('format', 'Format');
    note('pattern', 'Pattern');
  }
  if (type === 'number' || type === 'integer') note('multipleOf', 'Multiple of');
  if (type === 'array' && ownProperty(node, 'uniqueItems') === true)
    notes.push('No element twice.');
  if (type === 'object') {
    note('minProperties', 'Fewest members');
    note('maxProperties', 'Most members');
  }
  return notes;
}

/** Empty for a value that is nested too deeply. */
function jsonOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply for `JSON.stringify`; not useful to a model either.
    return '';
  }
}

/**
 * Copies title, description and default of a node to what is written for it. A default is allowed
 * only beside one simple type.
 */
export function annotate(
  node: JsonObject,
  written: JsonObject,
  notes: readonly string[] = [],
): JsonObject {
  const type = ownProperty(written, 'type');
  const fallback = ownProperty(node, 'default');
  const isSimple = typeof type === 'string' && type !== 'object' && type !== 'array';
  const fits = fallback !== undefined && isSimple && isOfType(fallback, type as SchemaType);
  const defaultText = fallback === undefined || fits ? '' : jsonOf(fallback);
  const given = ownProperty(node, 'description') ?? ownProperty(written, 'description');
  const text = typeof given === 'string' ? given.toWellFormed() : '';
  const more = [
    ...notes,
    ...(defaultText !== '' && defaultText.length <= MAX_NOTE_CHARS
      ? [`Default: ${defaultText}.`]
      : []),
  ].join(' ');
  const isOpen = /[^.!?:\s]$/.test(text);
  const description =
    more === '' || text === '' ? text + more : `${text}${isOpen ? '.' : ''} ${more}`;
  const title = ownProperty(node, 'title') ?? ownProperty(written, 'title');
  return {
    ...written,
    ...(typeof title === 'string' && { title }),
    ...(description !== '' && { description }),
    ...(fits && { default: fallback }),
  };
}
