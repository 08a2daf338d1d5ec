import type { IncomingHttpHeaders } from 'node:http';
import type { Tool } from '#core/tools/tool.ts';
import { INVALID_PARAMS, isObject, type Members } from '#mcp/json-rpc.ts';
import { CAPABILITIES_KEY, VERSION_KEY } from '#mcp/meta-keys.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import {
  argumentAt,
  decodeHeaderValue,
  headerText,
  mirroredArguments,
  NAMED_PARAMETERS,
  type MirroredArgument,
} from '#mcp/request-headers.ts';
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
  const field = NAMED_PARAMETERS.get(method);
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

/** Checks that headers match the arguments that the tool requires in headers. */
export function checkParamHeaders(
  tool: Pick<Tool, 'inputSchema'>,
  args: unknown,
  headers: IncomingHttpHeaders,
): McpRefusal | undefined {
  for (const mirrored of mirroredArguments(tool.inputSchema)) {
    const refusal = check(mirrored, argumentAt(args, mirrored.path), headers[mirrored.header]);
    if (refusal) return refusal;
  }
  return undefined;
}

function check(
  { header, path, type }: MirroredArgument,
  value: unknown,
  headerValue: string | string[] | undefined,
): McpRefusal | undefined {
  const text = headerText(value);
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

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
