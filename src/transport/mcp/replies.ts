import type { Caller } from '#core/calls/call.ts';
import type { Calls, CompletionRequest, ListKind } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { TASKS_EXTENSION } from '#mcp/client-capabilities.ts';
import {
  INVALID_PARAMS,
  isObject,
  rpcErrorResponse,
  rpcResultResponse,
  type Members,
  type RequestId,
} from '#mcp/json-rpc.ts';
import { SERVER_INFO_KEY } from '#mcp/meta-keys.ts';
import type { Era } from '#mcp/protocol-era.ts';
import { isImplementation } from '#mcp/protocol-meta.ts';
import { MODERN_VERSION, negotiateVersion } from '#mcp/protocol-versions.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { ServerInfo } from './server-info.ts';

/** How long clients may cache lists; a client that needs changes sooner subscribes to them. */
const LIST_TTL_MS = 60_000;

/** A result in the format of the era. `members`: JSON without its braces, or empty. */
export function eraResult(
  era: Era,
  id: RequestId,
  members: string,
  { modernEnd }: ServerInfo,
): string {
  if (era !== 'modern') return rpcResultResponse(id, `{${members}}`);
  return rpcResultResponse(id, members === '' ? `{${modernEnd}` : `{${members},${modernEnd}`);
}

/** A result that modern clients may cache, privately, since it depends on the caller. */
export function cacheableResult(
  era: Era,
  id: RequestId,
  members: string,
  { ttlMs, serverInfo }: { readonly ttlMs: number; readonly serverInfo: ServerInfo },
): string {
  const caching = `"ttlMs":${ttlMs},"cacheScope":"private"`;
  return eraResult(era, id, era === 'modern' ? `${members},${caching}` : members, serverInfo);
}

/** The answer to `initialize`, or an error that names the invalid field. */
export function initializeReply({ id, params }: RpcRequest, serverInfo: ServerInfo): string {
  const { protocolVersion, capabilities, clientInfo } = params ?? {};
  const fault =
    typeof protocolVersion !== 'string'
      ? 'protocolVersion must be a revision of MCP, such as "2025-11-25"'
      : !isObject(capabilities) || !Object.values(capabilities).every(isObject)
        ? 'capabilities must be an object of objects'
        : !isImplementation(clientInfo)
          ? 'clientInfo must have a name and a version'
          : undefined;
  if (fault !== undefined) return rpcErrorResponse(id, INVALID_PARAMS, `Invalid params: ${fault}.`);
  const { info, capabilities: offered, instructions } = serverInfo;
  const result = {
    protocolVersion: negotiateVersion(protocolVersion),
    capabilities: offered,
    serverInfo: info,
    ...(instructions !== '' && { instructions }),
  };
  return rpcResultResponse(id, JSON.stringify(result));
}

/** The answer to `server/discover`, by which modern clients learn the capabilities. */
export function discoverReply(
  id: RequestId,
  serverInfo: ServerInfo,
  tasks: 'with_tasks' | 'without_tasks',
): string {
  const { instructions, info } = serverInfo;
  const extensions = { [TASKS_EXTENSION]: {} };
  const capabilities =
    tasks === 'with_tasks' ? { ...serverInfo.capabilities, extensions } : serverInfo.capabilities;
  const result = {
    supportedVersions: [MODERN_VERSION],
    capabilities,
    ...(instructions !== '' && { instructions }),
    ttlMs: LIST_TTL_MS,
    cacheScope: 'private',
    resultType: 'complete',
    _meta: { [SERVER_INFO_KEY]: info },
  };
  return rpcResultResponse(id, JSON.stringify(result));
}

const MEMBER: Record<ListKind, string> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
};

/** The answer to a list request: one page, built from cached JSON. */
export function listReply(
  { id, params }: RpcRequest,
  kind: ListKind,
  {
    era,
    calls,
    caller,
    serverInfo,
  }: { era: Era; calls: Calls; caller: Caller; serverInfo: ServerInfo },
): string {
  const cursor = params?.['cursor'];
  // Some clients send null or an empty cursor for the first page.
  const after = cursor === undefined || cursor === null ? undefined : cursor;
  const isText = after === undefined || typeof after === 'string';
  const page = isText ? calls.page(caller, kind, after || undefined) : undefined;
  if (!page) {
    const text = 'Invalid params: cursor must be one that an earlier page gave, or left out.';
    return rpcErrorResponse(id, INVALID_PARAMS, text);
  }
  const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
  return cacheableResult(era, id, `"${MEMBER[kind]}":${page.json}${next}`, {
    ttlMs: LIST_TTL_MS,
    serverInfo,
  });
}

/** Maximum by the specification. */
const MAX_VALUES = 100;

/** The answer to `completion/complete`. Never rejects. */
export async function completionReply(
  { id, params }: RpcRequest,
  {
    era,
    calls,
    caller,
    serverInfo,
  }: { era: Era; calls: Calls; caller: Caller; serverInfo: ServerInfo },
): Promise<string> {
  const completionRequest = readCompletion(params);
  if (typeof completionRequest === 'string')
    return rpcErrorResponse(id, INVALID_PARAMS, `Invalid params: ${completionRequest}`);
  try {
    const all = await calls.complete(caller, completionRequest);
    const values = all.slice(0, MAX_VALUES);
    const completion = { values, total: all.length, hasMore: all.length > values.length };
    return eraResult(era, id, `"completion":${JSON.stringify(completion)}`, serverInfo);
  } catch (thrown) {
    const error = CallError.from(thrown);
    const code = error.class === 'not_found' ? INVALID_PARAMS : error.policy.rpcCode;
    return rpcErrorResponse(id, code, error.message, { error_class: error.class });
  }
}

function readCompletion(params: Members | undefined): CompletionRequest | string {
  const { ref, argument, context } = params ?? {};
  if (!isObject(argument)) return 'argument must be an object with a name and a value.';
  const { name, value } = argument;
  if (typeof name !== 'string') return 'argument.name must be a text.';
  if (typeof value !== 'string') return 'argument.value must be a text.';
  const args = isObject(context) ? (context['arguments'] ?? {}) : {};
  if (!isTexts(args)) return 'context.arguments must be an object of texts, or left out.';
  const { type, name: prompt, uri: template } = isObject(ref) ? ref : {};
  if (type === 'ref/prompt' && typeof prompt === 'string') {
    return { of: { prompt }, argument: name, value, args };
  }
  if (type === 'ref/resource' && typeof template === 'string') {
    return { of: { template }, argument: name, value, args };
  }
  return 'ref must be a prompt by its name, or a resource by its template.';
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
