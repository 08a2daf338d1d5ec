import { pathToFileURL } from 'node:url';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { Caller } from '#core/calls/call.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { ServerRequest } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { ClientCapability, InputRequest } from '#core/tools/input-request.ts';
import { isObject } from '#mcp/json-rpc.ts';

/**
 * A request of an upstream as an input request to the client, or undefined if it is none. The user
 * learns which server asks, because the client itself only knows EX-AI.
 */
export function toInputRequest(
  server: string,
  { method, params }: ServerRequest,
): InputRequest | undefined {
  switch (method) {
    case 'elicitation/create': {
      const { message, mode, url, requestedSchema } = params;
      const shown = `The MCP server ${server} asks: ${typeof message === 'string' ? message : ''}`;
      if (mode === 'url') {
        return typeof url === 'string' ? { is: 'visit', message: shown, url } : undefined;
      }
      return isObject(requestedSchema)
        ? { is: 'form', message: shown, schema: requestedSchema as JsonObject }
        : undefined;
    }
    case 'sampling/createMessage':
      return { is: 'sample', request: params };
    case 'roots/list':
      return { is: 'roots' };
    default:
      return undefined;
  }
}

/**
 * The folders of a caller, where its client is not asked for them: only the owner's clients may
 * name their own, since a server opens what it is told.
 */
export function rootsOf(caller: Caller): JsonObject | undefined {
  const { roots, principal, isAnonymous } = caller;
  if (roots.length === 0 && principal === OWNER_PRINCIPAL && !isAnonymous) return undefined;
  return { roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })) };
}

export function unsupportedRequest(server: string, { method }: ServerRequest): CallError {
  return codedError('bad_request', reason('server_request_unsupported', { server, method }));
}

const ELICITATION: JsonObject = { elicitation: { form: {}, url: {} } };
const SAMPLING: JsonObject = { sampling: {} };
const ROOTS: JsonObject = { roots: {} };

/**
 * What the hub declares to a server when it connects. A server that runs for several callers keeps
 * no roots, because those of one would be used for the others.
 */
export function connectionCapabilities(
  { sampling }: Pick<UpstreamConfig, 'sampling'>,
  isShared: boolean,
): JsonObject {
  return {
    ...ELICITATION,
    ...(sampling !== 'deny' && SAMPLING),
    ...(!isShared && ROOTS),
  };
}

/** What the hub declares with each request of the modern era: what this very client can do. */
export function callCapabilities(
  abilities: readonly ClientCapability[],
  { sampling }: Pick<UpstreamConfig, 'sampling'>,
  caller: Caller,
): JsonObject {
  const [hasForm, hasVisit] = [abilities.includes('form'), abilities.includes('visit')];
  const canSample =
    sampling === 'models' || (sampling === 'client' && abilities.includes('sample'));
  return {
    ...((hasForm || hasVisit) && {
      elicitation: { ...(hasForm && { form: {} }), ...(hasVisit && { url: {} }) },
    }),
    ...(canSample && SAMPLING),
    ...((abilities.includes('roots') || rootsOf(caller)) && ROOTS),
  };
}
