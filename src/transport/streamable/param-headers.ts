import type { IncomingHttpHeaders } from 'node:http';
import type { Tool } from '#core/tool.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';
import { decodeHeaderValue } from './header-value.ts';
import { mismatch, type Refusal } from './refusal.ts';

/** An argument that is mirrored in a header, so that what stands before us can route by it. */
interface Mirrored {
  readonly path: readonly string[];
  /** In lower case, as node gives it. */
  readonly header: string;
  readonly type: unknown;
}

const MARK = 'x-mcp-header';
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const known = new WeakMap<object, readonly Mirrored[]>();

/** Whether the headers say the same as the arguments, where the tool wants some of them in headers. */
export function checkParamHeaders(
  tool: Pick<Tool, 'inputSchema'>,
  args: unknown,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  for (const mirrored of mirroredIn(tool.inputSchema)) {
    const refusal = check(mirrored, valueAt(args, mirrored.path), headers[mirrored.header]);
    if (refusal) return refusal;
  }
  return undefined;
}

function check(
  { header, path, type }: Mirrored,
  value: unknown,
  given: string | string[] | undefined,
): Refusal | undefined {
  const text = textOf(value);
  // What is absent needs no header, and what is no plain value is for the tool to judge.
  if (text === undefined) return undefined;
  const field = `params.arguments.${path.join('.')}`;
  if (typeof given !== 'string') {
    return mismatch(`The header ${header} is missing. Send it with the value of ${field}.`, {
      header: null,
      body: text,
    });
  }
  const decoded = decodeHeaderValue(given);
  if (decoded === undefined) {
    return mismatch(`The header ${header} is no valid base64 between "=?base64?" and "?=".`, {
      header: given,
      body: text,
    });
  }
  const isNumeric = (type === 'integer' || type === 'number') && typeof value === 'number';
  const isEqual = isNumeric && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === text;
  if (isEqual) return undefined;
  return mismatch(`The header ${header} and ${field} differ. Send the same value in both.`, {
    header: decoded,
    body: text,
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? String(value) : undefined;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let node = root;
  for (const key of path) {
    if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return node;
}

/** Found once for each schema. Only properties of properties count; anything else is not for headers. */
function mirroredIn(schema: Members): readonly Mirrored[] {
  let found = known.get(schema);
  if (!found) {
    found = collect(schema, []);
    known.set(schema, found);
  }
  return found;
}

function collect(schema: Members, path: readonly string[]): Mirrored[] {
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
