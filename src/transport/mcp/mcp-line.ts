import type { RequestId } from '#mcp/json-rpc.ts';
import type { RpcMessage } from '#mcp/read-message.ts';
import type { Channel, Session } from '../channel.ts';

/**
 * Where the words of an MCP session go. A socket carries them all; over HTTP each request has a stream for what is said
 * during it, and what belongs to none goes another way.
 */
export interface McpLine {
  /** A notification, or something asked of the client; `about` is its request that this belongs to. Never throws. */
  send(text: string, about?: RequestId): void;
  /** The one answer to a request. `status` is HTTP's word for it where that is not 200. */
  reply(id: RequestId, text: string, status?: number): void;
  /** False while it is read slowly: what may be left out, such as progress, is then left out. */
  isClear(about?: RequestId): boolean;
  /** Sends what is waiting, then ends the connection. Codes are those of WebSocket; other lines ignore them. */
  close(code: number, reason: string): void;
}

export interface McpSession extends Session {
  /** Takes a message that has been read already. */
  receive(message: RpcMessage): void;
  /** `one_way`: the client can still be told, but what it says does not come through any more. */
  drain(hearing?: 'both_ways' | 'one_way'): Promise<void>;
}

export function overChannel(channel: Channel): McpLine {
  return {
    send: (text) => channel.send(text),
    reply: (_id, text) => channel.send(text),
    isClear: () => channel.isClear,
    close: (code, reason) => channel.close(code, reason),
  };
}
