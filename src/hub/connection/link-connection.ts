import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Clock } from '#core/time/clock.ts';
import { isObject } from '#mcp/json-rpc.ts';
import type { Connection, ConnectionHandlers } from './connection.ts';
import { introduce, modernMeta, type IntroduceOptions } from './handshake.ts';
import type { LinkHandlers, MessageLink } from './message-link.ts';
import { createRpcClient, type RpcClient } from './rpc-client.ts';

interface LinkConnectionOptions extends IntroduceOptions {
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly open: (handlers: LinkHandlers) => Promise<MessageLink>;
}

/** How much may wait to be taken by a server that does not read. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** A connection over stdio or a WebSocket: our own client of MCP, in both eras. */
export async function openLinkConnection(
  options: LinkConnectionOptions,
  handlers: ConnectionHandlers,
): Promise<Connection> {
  const { server, clock, capabilities, timeoutMs } = options;
  let link: MessageLink | undefined;
  let ended: CallError | undefined;
  const rpc = createRpcClient({ server, clock, send: (json) => link?.send(json), handlers });
  link = await options.open({
    onMessage: (message) => rpc.receive(message),
    onOversized: (id) => rpc.receiveOversized(id, options.maxMessageBytes),
    onNoise: (text) => handlers.onFault('not_json', text),
    onClose(error) {
      if (ended) return;
      ended = error;
      rpc.end(error);
      handlers.onClose(error);
    },
  });
  const opened = link;
  const info = await introduce(rpc, options).catch(async (thrown: unknown) => {
    // The end of the program says more than the request that it did not answer.
    const why = ended ?? (isTimeout(thrown) ? startTimeout(server, timeoutMs) : thrown);
    await opened.close();
    throw why;
  });
  const meta = info.era === 'modern' ? modernMeta(capabilities) : undefined;
  if (meta) follow(rpc, info.capabilities, meta);
  return {
    info,
    request(method, params, request) {
      if (opened.unsentBytes > MAX_UNSENT_BYTES) return Promise.reject(notReading(server));
      return rpc.request(method, meta ? addMeta(params, meta) : params, request);
    },
    get pending() {
      return rpc.pending;
    },
    close: () => opened.close(),
  };
}

function addMeta(params: JsonObject, meta: JsonObject): JsonObject {
  const own = params['_meta'];
  return { ...params, _meta: { ...meta, ...(isObject(own) && (own as JsonObject)) } };
}

const LISTENING_MS = 2 ** 31 - 1;

/** In the modern era a server sends notifications of its lists to those that ask for them. */
function follow(rpc: RpcClient, capabilities: JsonObject, meta: JsonObject): void {
  const notifies = (name: string) => {
    const of = capabilities[name];
    return isObject(of) && of['listChanged'] === true;
  };
  const notifications = {
    ...(notifies('tools') && { toolsListChanged: true }),
    ...(notifies('prompts') && { promptsListChanged: true }),
    ...(notifies('resources') && { resourcesListChanged: true }),
  };
  if (Object.keys(notifications).length === 0) return;
  const params = { notifications, _meta: meta };
  // It ends with the connection; a server that refuses it is listed again when it is connected.
  void rpc
    .request('subscriptions/listen', params, { timeoutMs: LISTENING_MS })
    .catch(() => undefined);
}

function isTimeout(thrown: unknown): boolean {
  return (thrown as CallError).reason?.code === 'server_timeout';
}

function startTimeout(server: string, timeoutMs: number): CallError {
  return codedError('timeout', reason('server_start_timeout', { server, timeoutMs }), {
    fix: `Look at its messages with: exai servers logs ${server}`,
  });
}

function notReading(server: string): CallError {
  const problem = 'does not read what it is sent';
  return codedError('overloaded', reason('server_protocol_error', { server, problem }));
}
