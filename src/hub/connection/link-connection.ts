import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock } from '#core/time/clock.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { CAPABILITIES_KEY, LOG_LEVEL_KEY } from '#mcp/meta-keys.ts';
import type { Connection, ConnectionHandlers, UpstreamRequestOptions } from './connection.ts';
import { introduce, modernMeta, type IntroduceOptions } from './handshake.ts';
import type { LinkHandlers, MessageLink } from './message-link.ts';
import { createRpcClient, type RpcClient } from './rpc-client.ts';

interface LinkConnectionOptions extends IntroduceOptions {
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly open: (handlers: LinkHandlers) => Promise<MessageLink>;
  /** Ends the link before the server has introduced itself. */
  readonly signal: AbortSignalLike;
}

/** How much may wait to be taken by a server that does not read. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** A connection over stdio or a WebSocket: our own client of MCP, in both eras. */
export async function openLinkConnection(
  options: LinkConnectionOptions,
  handlers: ConnectionHandlers,
): Promise<Connection> {
  const { server, clock, timeoutMs } = options;
  let link: MessageLink | undefined;
  let ended: CallError | undefined;
  let isIntroduced = false;
  const rpc = createRpcClient({
    server,
    clock,
    send: (json, facts) => link?.send(json, facts),
    abandon: (id) => link?.abandon?.(id),
    handlers,
  });
  link = await options.open({
    onMessage: (message, requestId) => rpc.receive(message, requestId),
    onOversized: (id) => rpc.receiveOversized(id, options.maxMessageBytes),
    onFailed: (id, error) => rpc.fail(id, error),
    onNoise: (text) => handlers.onFault('not_json', text),
    onClose(error) {
      if (ended) return;
      ended = error;
      rpc.end(error);
      // Until then, the rejection of this function says why.
      if (isIntroduced) handlers.onClose(error);
    },
  });
  const opened = link;
  const { signal } = options;
  const leave = () => void opened.close();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  const introduced = introduce(rpc, options).finally(() =>
    signal.removeEventListener('abort', leave),
  );
  const info = await introduced.catch(async (thrown: unknown) => {
    // The end of the program says more than the request that it did not answer.
    const why = ended ?? (isTimeout(thrown) ? startTimeout(server, timeoutMs) : thrown);
    await opened.close();
    throw why;
  });
  if (ended) throw ended;
  isIntroduced = true;
  // What a client can do is told with its own requests.
  const meta = info.era === 'modern' ? modernMeta({}) : undefined;
  if (meta)
    void follow(rpc, { capabilities: info.capabilities, meta, clock, isOver: () => !!ended });
  return {
    info,
    request(method, params, request) {
      if (opened.unsentBytes > MAX_UNSENT_BYTES) return Promise.reject(notReading(server));
      return rpc.request(method, meta ? addMeta(params, metaOf(meta, request)) : params, request);
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

/** What the server is told of the client of this very request. */
function metaOf(meta: JsonObject, { clientCapabilities, logLevel }: UpstreamRequestOptions) {
  if (!clientCapabilities && logLevel === undefined) return meta;
  return {
    ...meta,
    ...(clientCapabilities && { [CAPABILITIES_KEY]: clientCapabilities }),
    ...(logLevel !== undefined && { [LOG_LEVEL_KEY]: logLevel }),
  };
}

const LISTENING_MS = 2 ** 31 - 1;
const MAX_RELISTEN_MS = 60_000;

interface FollowOptions {
  readonly capabilities: JsonObject;
  readonly meta: JsonObject;
  readonly clock: Clock;
  readonly isOver: () => boolean;
}

/**
 * In the modern era a server sends notifications of its lists to those that ask for them. Over HTTP
 * that request may end before the connection, and is then made again.
 */
async function follow(rpc: RpcClient, options: FollowOptions): Promise<void> {
  const { meta, clock, isOver } = options;
  const notifications = wantedNotifications(options.capabilities);
  if (Object.keys(notifications).length === 0) return;
  for (let pauseMs = 1_000; !isOver(); pauseMs = Math.min(pauseMs * 2, MAX_RELISTEN_MS)) {
    const startedAt = clock.monotonic();
    const params = { notifications, _meta: meta };
    const request = rpc.request('subscriptions/listen', params, { timeoutMs: LISTENING_MS });
    const outcome = await request.then(
      () => 'ended' as const,
      (thrown: unknown) => CallError.from(thrown).reason?.code,
    );
    // A server that refuses it is listed again when it is connected.
    if (isOver() || outcome === 'server_refused') return;
    if (clock.monotonic() - startedAt > MAX_RELISTEN_MS) pauseMs = 1_000;
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}

function wantedNotifications(capabilities: JsonObject): JsonObject {
  const notifies = (name: string) => {
    const of = capabilities[name];
    return isObject(of) && of['listChanged'] === true;
  };
  return {
    ...(notifies('tools') && { toolsListChanged: true }),
    ...(notifies('prompts') && { promptsListChanged: true }),
    ...(notifies('resources') && { resourcesListChanged: true }),
  };
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
