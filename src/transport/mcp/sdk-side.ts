/**
 * The part of a connection that the SDK serves: `initialize`, `server/discover`, `subscriptions/listen` and whatever
 * we do not know. The only file that imports it, loaded when the first such message arrives.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  Server,
  UnsupportedProtocolVersionError,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { errorReply, INVALID_PARAMS, type Members, type RequestId } from './json-rpc.ts';
import { CAPABILITIES_KEY, MODERN_VERSION, VERSION_KEY, type Era } from './protocol-era.ts';
import type { RpcMessage } from './read-message.ts';

export interface SdkSideOptions {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions: string;
  /** What messages before this one have settled. */
  readonly era: Era;
  readonly send: (text: string) => void;
  /** This request of the client has its answer. */
  readonly onAnswered: (id: RequestId) => void;
  /** The SDK ended its side. */
  readonly onClosed: () => void;
  /** Told of what the SDK could not use. */
  readonly onOdd: () => void;
}

export interface SdkSide {
  deliver(message: RpcMessage): void;
  /** Somebody else has answered this already: the SDK shall know of it, and say nothing. */
  recall(message: RpcMessage): void;
  /** A message that we answered ourselves settled the era; the SDK must not settle on another. */
  settle(era: Era): void;
  /** Tells those who subscribed to it in the modern way. */
  toolsChanged(): void;
  /** Ends subscriptions with their last word, then everything. */
  end(): void;
  /** The client is gone. */
  drop(): void;
}

export type ConnectSdk = (options: SdkSideOptions) => SdkSide;

// Longer than any id that is let in, so that it is nobody else's.
const SETTLING_ID = 'settle'.padEnd(1025, '.');

const SETTLE_LEGACY = { jsonrpc: '2.0', method: 'notifications/exai/settle' } as const;
const SETTLE_MODERN = {
  jsonrpc: '2.0',
  id: SETTLING_ID,
  method: 'ping',
  params: { _meta: { [VERSION_KEY]: MODERN_VERSION, [CAPABILITIES_KEY]: {} } },
} as const;

export function connectSdk(options: SdkSideOptions): SdkSide {
  const { send, onAnswered, onOdd } = options;
  let server: Server | undefined;

  const transport: Transport = {
    start: () => Promise.resolve(),
    send(message) {
      const id = answeredId(message);
      // The answer to our own question is for nobody.
      if (id === SETTLING_ID) return Promise.resolve();
      send(JSON.stringify(message));
      if (id !== undefined) onAnswered(id);
      return Promise.resolve();
    },
    close() {
      transport.onclose?.();
      options.onClosed();
      return Promise.resolve();
    },
  };
  const handle = serveStdio(() => (server = createServer(options)), {
    transport,
    onerror: onOdd,
  });
  const push = (message: JSONRPCMessage) => transport.onmessage?.(message);

  const side: SdkSide = {
    deliver(message) {
      const given = toSdkMessage(message);
      if (given) return push(given);
      if (message.is !== 'request') return onOdd();
      const reply = `Invalid params: ${message.method} cannot be read; look at its _meta and its id.`;
      send(errorReply(message.id, INVALID_PARAMS, reply));
      onAnswered(message.id);
    },
    recall(message) {
      const given = toSdkMessage(message);
      if (given) push('id' in given ? { ...given, id: SETTLING_ID } : given);
    },
    settle(era) {
      if (era === 'legacy') push(SETTLE_LEGACY);
      if (era === 'modern') push(SETTLE_MODERN);
    },
    toolsChanged: () => void server?.sendToolListChanged().catch(onOdd),
    end: () => void handle.close().catch(onOdd),
    drop: () => transport.onclose?.(),
  };
  side.settle(options.era);
  return side;
}

function createServer({ serverInfo, instructions, onOdd }: SdkSideOptions): Server {
  const capabilities = { tools: { listChanged: true } };
  const server = new Server(serverInfo, {
    capabilities,
    ...(instructions !== '' && { instructions }),
  });
  server.onerror = onOdd;
  // Only those with an odd `_meta` come this far, and the SDK has refused most of them: what is left is the version.
  const refuse = (_: unknown, { mcpReq }: { mcpReq: { envelope?: Members } }): never => {
    const version = mcpReq.envelope?.[VERSION_KEY];
    const requested = typeof version === 'string' ? version : 'unknown';
    throw new UnsupportedProtocolVersionError({ supported: [MODERN_VERSION], requested });
  };
  server.setRequestHandler('tools/list', refuse);
  server.setRequestHandler('tools/call', refuse);
  return server;
}

/** As the SDK wants it: nothing beside the members it knows. What it could not read it would leave unanswered. */
function toSdkMessage(message: RpcMessage): JSONRPCMessage | undefined {
  if (message.is === 'response') {
    const { message: given } = message;
    return isJSONRPCResultResponse(given) || isJSONRPCErrorResponse(given) ? given : undefined;
  }
  const { method, params } = message;
  const given = { jsonrpc: '2.0', method, ...(params && { params }) };
  if (message.is === 'notification') return isJSONRPCNotification(given) ? given : undefined;
  const request = { ...given, id: message.id };
  return isJSONRPCRequest(request) ? request : undefined;
}

function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}
