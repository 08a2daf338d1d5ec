import { CallError } from '#core/errors/call-error.ts';
import { errorParts } from '#core/calls/envelope.ts';
import type { Channel, InboundMessage, Session } from '../channel.ts';

/**
 * Methods of our own beside MCP's, by name. Their params come from the wire: each checks what it
 * takes.
 */
export type AdminMethods = Readonly<Record<string, (params: unknown) => Promise<unknown>>>;

const OURS = '"exai/';

/**
 * Answers admin methods and passes every other message on. For listeners that only the owner can
 * reach.
 */
export function withAdminMethods(channel: Channel, inner: Session, methods: AdminMethods): Session {
  return {
    ...inner,
    onMessage(inbound) {
      // Cheaper than parsing every message twice; what only looks like ours is passed on.
      const mayBeOurs = typeof inbound !== 'string' || inbound.includes(OURS);
      const request = mayBeOurs ? readRequest(inbound, methods) : undefined;
      if (!request) return inner.onMessage(inbound);
      const { id, params, method } = request;
      method(params).then(
        (result) => channel.send(JSON.stringify({ jsonrpc: '2.0', id, result })),
        (thrown: unknown) => channel.send(toRpcError(id, CallError.from(thrown))),
      );
    },
  };
}

function readRequest(inbound: InboundMessage, methods: AdminMethods) {
  try {
    const value: unknown = typeof inbound === 'string' ? JSON.parse(inbound) : inbound.value;
    const { id, method, params } = value as Partial<Record<string, unknown>>;
    if (typeof id !== 'string' && typeof id !== 'number') return undefined;
    if (typeof method !== 'string' || !Object.hasOwn(methods, method)) return undefined;
    const known = methods[method];
    return known && { id, params, method: known };
  } catch {
    // Not JSON: the inner session answers with the protocol's error.
    return undefined;
  }
}

function toRpcError(id: string | number, error: CallError): string {
  const { message, field, fix, retryAfterMs } = error;
  const data = {
    error_class: error.class,
    ...(field !== undefined && { field }),
    ...(fix !== undefined && { fix }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    error: errorParts(error),
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: error.policy.rpcCode, message, data },
  });
}
