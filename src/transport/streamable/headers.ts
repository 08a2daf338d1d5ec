import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Tool } from '#core/tools/tool.ts';
import { INVALID_PARAMS, isObject, type Members } from '#mcp/json-rpc.ts';
import { CAPABILITIES_KEY, VERSION_KEY } from '#mcp/meta-keys.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { RpcMessage, RpcRequest } from '#mcp/read-message.ts';
import { badRequest, headerMismatch, type McpRefusal } from './refusal.ts';

/**
 * The era of a message. `unsupported`: header and body name the same unknown revision, which the
 * session refuses.
 */
type Verdict = 'legacy' | 'modern' | 'unsupported' | McpRefusal;

/**
 * Determines the era of a message. The body decides; the header is for proxies and must not
 * contradict it.
 */
export function classifyEra(message: RpcMessage, headers: IncomingHttpHeaders): Verdict {
  const header = headers['mcp-protocol-version'];
  if (message.is === 'response') return 'legacy';
  const { params } = message;
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) {
    if (header !== MODERN_VERSION) return 'legacy';
    // A notification has no protocol fields in its body.
    return message.is === 'notification' ? 'modern' : missingMeta(message.method, meta);
  }
  const claimed = meta[VERSION_KEY];
  // The session refuses a value that is not a version, with everything else that is wrong in
  // `_meta`.
  if (typeof claimed !== 'string') return 'modern';
  if (header !== claimed) {
    if (header === undefined && message.is === 'notification') return 'modern';
    return headerMismatch(
      header === undefined
        ? `The header MCP-Protocol-Version is missing. Send it with the version of _meta["${VERSION_KEY}"].`
        : `The header MCP-Protocol-Version and _meta["${VERSION_KEY}"] differ. Send the same version in both.`,
      { header: typeof header === 'string' ? header : null, body: claimed },
    );
  }
  return claimed === MODERN_VERSION ? 'modern' : 'unsupported';
}

function missingMeta(method: string, meta: unknown): McpRefusal {
  if (method === 'initialize') {
    return headerMismatch(
      `initialize opens a session of a revision before ${MODERN_VERSION}, which the header MCP-Protocol-Version names. Leave that header out.`,
      { header: MODERN_VERSION, body: method },
    );
  }
  const missing = isObject(meta) ? missingKeys(meta) : ['_meta', VERSION_KEY, CAPABILITIES_KEY];
  return {
    ...badRequest(
      `Invalid params: by its header MCP-Protocol-Version this is a request of ${MODERN_VERSION}, but it lacks ${missing.join(', ')}.`,
      INVALID_PARAMS,
    ),
    data: { missing },
  };
}

function missingKeys(meta: Members): string[] {
  return [VERSION_KEY, CAPABILITIES_KEY].filter((key) => !(key in meta));
}

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Checks that `Mcp-Method` and `Mcp-Name` match the body, as required since 2026-07-28. */
export function checkStandardHeaders(
  { method, params }: RpcRequest,
  headers: IncomingHttpHeaders,
): McpRefusal | undefined {
  const givenMethod = headers['mcp-method'];
  if (givenMethod !== method) {
    return headerMismatch(mismatchMessage('Mcp-Method', givenMethod, 'method'), {
      header: typeof givenMethod === 'string' ? givenMethod : null,
      body: method,
    });
  }
  const field = NAMED.get(method);
  const name = field === undefined ? undefined : params?.[field];
  // A request without a name is refused later.
  if (typeof name !== 'string') return undefined;
  const givenName = headers['mcp-name'];
  if (typeof givenName === 'string' && decodeHeaderValue(givenName) === name) return undefined;
  return headerMismatch(mismatchMessage('Mcp-Name', givenName, `params.${field}`), {
    header: typeof givenName === 'string' ? givenName : null,
    body: name,
  });
}

function mismatchMessage(header: string, value: unknown, field: string): string {
  return value === undefined
    ? `The header ${header} is missing. Send it with the value of ${field}.`
    : `The header ${header} and ${field} differ. Send the same value in both.`;
}

/** An argument that is repeated in a header, so that proxies can route by it. */
interface Mirrored {
  readonly path: readonly string[];
  /** Lower case, as in Node. */
  readonly header: string;
  readonly type: unknown;
}

const MARK = 'x-mcp-header';
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const known = new WeakMap<object, readonly Mirrored[]>();

/** Checks that headers match the arguments that the tool requires in headers. */
export function checkParamHeaders(
  tool: Pick<Tool, 'inputSchema'>,
  args: unknown,
  headers: IncomingHttpHeaders,
): McpRefusal | undefined {
  for (const mirrored of mirroredIn(tool.inputSchema)) {
    const refusal = check(mirrored, valueAt(args, mirrored.path), headers[mirrored.header]);
    if (refusal) return refusal;
  }
  return undefined;
}

function check(
  { header, path, type }: Mirrored,
  value: unknown,
  headerValue: string | string[] | undefined,
): McpRefusal | undefined {
  const text = textOf(value);
  // An absent value needs no header, and the tool validates other values.
  if (text === undefined) return undefined;
  const field = `params.arguments.${path.join('.')}`;
  if (typeof headerValue !== 'string') {
    return headerMismatch(`The header ${header} is missing. Send it with the value of ${field}.`, {
      header: null,
      body: text,
    });
  }
  const decoded = decodeHeaderValue(headerValue);
  if (decoded === undefined) {
    return headerMismatch(
      `The header ${header} is not valid base64 between "=?base64?" and "?=".`,
      {
        header: headerValue,
        body: text,
      },
    );
  }
  const isNumeric = (type === 'integer' || type === 'number') && typeof value === 'number';
  const isEqual = isNumeric && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === text;
  if (isEqual) return undefined;
  return headerMismatch(`The header ${header} and ${field} differ. Send the same value in both.`, {
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

/** The repeated arguments of a schema, cached. Only nested `properties` count. */
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
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
