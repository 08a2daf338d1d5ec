import { isObject, type Members } from './json-rpc.ts';

/** The parameter that `Mcp-Name` repeats, by method. */
export const NAMED_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** An argument that is repeated in a header, so that proxies can route by it. */
export interface MirroredArgument {
  readonly path: readonly string[];
  /** Lower case, as in Node. */
  readonly header: string;
  readonly type: unknown;
}

const MARK = 'x-mcp-header';
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const known = new WeakMap<object, readonly MirroredArgument[]>();

/** How a value is written in a header; undefined: it is not repeated. */
export function headerText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? String(value) : undefined;
}

/** The value at a path of own members. */
export function argumentAt(root: unknown, path: readonly string[]): unknown {
  let node = root;
  for (const key of path) {
    if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return node;
}

/** The repeated arguments of a schema, cached. Only nested `properties` count. */
export function mirroredArguments(schema: Members): readonly MirroredArgument[] {
  let found = known.get(schema);
  if (!found) {
    found = collect(schema, []);
    known.set(schema, found);
  }
  return found;
}

function collect(schema: Members, path: readonly string[]): MirroredArgument[] {
  const name = schema[MARK];
  const own =
    path.length > 0 && typeof name === 'string' && TOKEN.test(name)
      ? [{ path, header: `mcp-param-${name.toLowerCase()}`, type: schema['type'] }]
      : [];
  const { properties } = schema;
  if (!isObject(properties)) return own;
  const inner = Object.entries(properties).flatMap(([key, property]) =>
    isObject(property) ? collect(property, [...path, key]) : [],
  );
  return [...own, ...inner];
}

/** Types whose values a header can repeat exactly; a number has more than one spelling. */
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * Whether a schema marks arguments in a way that the specification forbids: with a name that no
 * header can have, with one name twice, or on values that no header can repeat. Over HTTP a client
 * must leave out such a tool.
 */
export function hasInvalidMirrors(schema: Members): boolean {
  const headers = new Set<string>();
  return marksIn(schema).some(({ name, type }) => {
    if (typeof name !== 'string' || !TOKEN.test(name) || !MIRRORED_TYPES.has(type)) return true;
    const { size } = headers;
    return headers.add(name.toLowerCase()).size === size;
  });
}

function marksIn(schema: Members): { readonly name: unknown; readonly type: unknown }[] {
  const { properties, type } = schema;
  const own = MARK in schema ? [{ name: schema[MARK], type }] : [];
  if (!isObject(properties)) return own;
  const inner = Object.values(properties).flatMap((each) => (isObject(each) ? marksIn(each) : []));
  return [...own, ...inner];
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
// With padding, as the specification requires; Node would accept less.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes an MCP header value. Values that a header cannot hold come as `=?base64?…?=`; undefined
 * if that is malformed.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const coded = value.slice(PREFIX.length, -SUFFIX.length);
  if (value.length < PREFIX.length + SUFFIX.length || !BASE64.test(coded)) return undefined;
  const bytes = Buffer.from(coded, 'base64');
  const text = bytes.toString();
  // Bytes that are not UTF-8 do not come back as they were.
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** Visible ASCII without white space at its ends, as a header can hold it. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** Encodes an MCP header value; the opposite of `decodeHeaderValue`. */
export function encodeHeaderValue(value: string): string {
  const isPlain = PLAIN.test(value) && !(value.startsWith(PREFIX) && value.endsWith(SUFFIX));
  return isPlain ? value : `${PREFIX}${Buffer.from(value).toString('base64')}${SUFFIX}`;
}

/** The headers that repeat arguments of a tool that wants so. */
export function argumentHeaders(schema: Members, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of mirroredArguments(schema)) {
    const text = headerText(argumentAt(args, path));
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}
