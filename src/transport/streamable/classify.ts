import type { IncomingHttpHeaders } from 'node:http';
import { INVALID_PARAMS, isObject, type Members } from '#mcp/json-rpc.ts';
import { CAPABILITIES_KEY, VERSION_KEY } from '#mcp/meta-keys.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { RpcMessage } from '#mcp/read-message.ts';
import { badRequest, mismatch, type Refusal } from './refusal.ts';

/**
 * Which of the two protocols a message belongs to. `unsupported`: it claims a revision that nobody here knows, header
 * and body alike, and the session says so.
 */
type Verdict = 'legacy' | 'modern' | 'unsupported' | Refusal;

/** The body decides: the header is there for what stands between, and must not contradict it. */
export function classify(message: RpcMessage, headers: IncomingHttpHeaders): Verdict {
  const header = headers['mcp-protocol-version'];
  if (message.is === 'response') return 'legacy';
  const { params } = message;
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) {
    if (header !== MODERN_VERSION) return 'legacy';
    // A notification has no room for a claim of its own.
    return message.is === 'notification' ? 'modern' : unclaimed(message.method, meta);
  }
  const claimed = meta[VERSION_KEY];
  // What is no version at all is for the session to refuse, with everything else that is wrong with the claim.
  if (typeof claimed !== 'string') return 'modern';
  if (header !== claimed) {
    if (header === undefined && message.is === 'notification') return 'modern';
    return mismatch(
      header === undefined
        ? `The header MCP-Protocol-Version is missing. Send it with the version of _meta["${VERSION_KEY}"].`
        : `The header MCP-Protocol-Version and _meta["${VERSION_KEY}"] differ. Send the same version in both.`,
      { header: typeof header === 'string' ? header : null, body: claimed },
    );
  }
  return claimed === MODERN_VERSION ? 'modern' : 'unsupported';
}

function unclaimed(method: string, meta: unknown): Refusal {
  if (method === 'initialize') {
    return mismatch(
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
