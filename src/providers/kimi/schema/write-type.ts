import type { Json, JsonObject } from '#core/json.ts';
import { isList, isNode, isOfType, own, type SchemaType } from './schema-node.ts';

type Write = (inner: Json) => JsonObject;

const MAX_NOTE_CHARS = 120;

/** A node of one type, with the keywords that Moonshot knows for it. */
export function writeType(node: JsonObject, type: SchemaType, write: Write): JsonObject {
  return annotate(node, { type, ...KEYWORDS[type](node, write) }, notesOf(node, type));
}

const KEYWORDS: Record<SchemaType, (node: JsonObject, write: Write) => JsonObject> = {
  object: writeObject,
  array: writeArray,
  string: (node) =>
    limits('minLength', count(own(node, 'minLength')), 'maxLength', count(own(node, 'maxLength'))),
  integer: (node) => numberLimits(node, 'integer'),
  number: (node) => numberLimits(node, 'number'),
  boolean: () => ({}),
  null: () => ({}),
};

function writeObject(node: JsonObject, write: Write): JsonObject {
  const given = own(node, 'properties');
  const members = new Map<string, Json>(Object.entries(isNode(given) ? given : {}));
  const more = own(node, 'additionalProperties');
  const required = own(node, 'required');
  const names = new Set(
    isList(required) ? required.filter((name) => typeof name === 'string') : [],
  );
  // What is required must be among the properties.
  for (const name of names) if (!members.has(name)) members.set(name, isNode(more) ? more : {});
  // Names by pattern cannot be said; as long as there are any, no other name can be refused.
  const isOpen = isNode(own(node, 'patternProperties'));
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

/** In tuples the rest of the list stays open: Moonshot would hold every element to it. */
function writeArray(node: JsonObject, write: Write): JsonObject {
  const items = own(node, 'items');
  const prefix = isList(items) ? items : own(node, 'prefixItems');
  const isTuple = isList(prefix) && prefix.length > 0;
  return {
    ...(isTuple && { prefixItems: prefix.map(write) }),
    ...(!isTuple && isNode(items) && Object.keys(items).length > 0 && { items: write(items) }),
    ...limits('minItems', count(own(node, 'minItems')), 'maxItems', count(own(node, 'maxItems'))),
  };
}

/** Limits that exclude their own value become the next ones that include it. */
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
  const value = own(node, key);
  return typeof value === 'number' ? [value] : [];
}

/** Figures are written without exponents, whole ones within what a double holds exactly. */
function plain(value: number | undefined, type: 'integer' | 'number'): number | undefined {
  if (value === undefined) return undefined;
  const isWritable = type === 'integer' ? Number.isSafeInteger(value) : !/e/.test(String(value));
  // There is no negative zero in JSON.
  return isWritable ? value + 0 : undefined;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Limits that contradict each other are refused, so both are left out. */
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

/** What only the description can say. */
function notesOf(node: JsonObject, type: SchemaType): readonly string[] {
  const notes: string[] = [];
  const note = (key: string, words: string) => {
    const value = own(node, key);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    if (String(value).length <= MAX_NOTE_CHARS) notes.push(`${words}: ${value}.`);
  };
  if (type === 'string') {
    note('format', 'Format');
    note('pattern', 'Pattern');
  }
  if (type === 'number' || type === 'integer') note('multipleOf', 'Multiple of');
  if (type === 'array' && own(node, 'uniqueItems') === true) notes.push('No element twice.');
  if (type === 'object') {
    note('minProperties', 'Fewest members');
    note('maxProperties', 'Most members');
  }
  return notes;
}

/** Nothing of what is nested so deeply that it cannot be written. */
function jsonOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The engine gives up; such a default is of no use to a model.
    return '';
  }
}

/** The words of a node on what is written in its place. A default stands beside one simple type alone. */
export function annotate(
  node: JsonObject,
  written: JsonObject,
  notes: readonly string[] = [],
): JsonObject {
  const type = own(written, 'type');
  const fallback = own(node, 'default');
  const isSimple = typeof type === 'string' && type !== 'object' && type !== 'array';
  const fits = fallback !== undefined && isSimple && isOfType(fallback, type as SchemaType);
  const told = fallback === undefined || fits ? '' : jsonOf(fallback);
  const given = own(node, 'description') ?? own(written, 'description');
  const said = typeof given === 'string' ? given.toWellFormed() : '';
  const more = [
    ...notes,
    ...(told !== '' && told.length <= MAX_NOTE_CHARS ? [`Default: ${told}.`] : []),
  ].join(' ');
  const isOpen = /[^.!?:\s]$/.test(said);
  const words = more === '' || said === '' ? said + more : `${said}${isOpen ? '.' : ''} ${more}`;
  const title = own(node, 'title') ?? own(written, 'title');
  return {
    ...written,
    ...(typeof title === 'string' && { title }),
    ...(words !== '' && { description: words }),
    ...(fits && { default: fallback }),
  };
}
