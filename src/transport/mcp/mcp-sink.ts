import type { RequestId } from '#mcp/json-rpc.ts';
import type { RpcMessage } from '#mcp/read-message.ts';
import type { Channel, Session } from '../channel.ts';

/**
 * Where an MCP session writes its messages. A socket carries all of them; over HTTP each request
 * has its own stream, and messages without a related request go to a separate one.
 */
export interface McpSink {
  /**
   * Sends a notification or a request to the client. `relatedTo`: the client's request that it
   * belongs to. Never throws.
   */
  send(text: string, relatedTo?: RequestId): void;
  /** Sends the answer to a request. `status`: HTTP status; default: 200. */
  reply(id: RequestId, text: string, status?: number): void;
  /** False while the client reads slowly: optional messages such as progress are then skipped. */
  isClear(relatedTo?: RequestId): boolean;
  /**
   * Flushes, then ends the connection. The codes are those of WebSocket; other transports ignore
   * them.
   */
  close(code: number, reason: string): void;
}

export interface McpSession extends Session {
  /** Handles a parsed message. */
  receive(message: RpcMessage): void;
  /** `one_way`: the client still receives messages, but cannot send any more. */
  drain(direction?: 'both_ways' | 'one_way'): Promise<void>;
}

export function sinkOverChannel(channel: Channel): McpSink {
  return {
    send: (text) => channel.send(text),
    reply: (_id, text) => channel.send(text),
    isClear: () => channel.isClear,
    close: (code, reason) => channel.close(code, reason),
  };
}
