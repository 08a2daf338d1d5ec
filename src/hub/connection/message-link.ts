import type { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';

/** What a transport over HTTP has to know of a request or notification that it sends. */
export interface MessageFacts {
  /** Absent: a notification. */
  readonly id?: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Arguments that the tool wants repeated in headers, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Carries JSON-RPC messages between the hub and one server: pipes, a WebSocket, or HTTP requests. */
export interface MessageLink {
  /** A message as JSON, without a line end; without facts it is a response. Does nothing after the end. */
  send(json: string, facts?: MessageFacts): void;
  /** The response of this request is no longer awaited. Only HTTP has something to close. */
  abandon?(id: number): void;
  /** Bytes that were sent and that the server has not taken yet. */
  readonly unsentBytes: number;
  /** Ends the link, and the program behind it. Resolves when that is done. */
  close(): Promise<void>;
}

export interface LinkHandlers {
  /** `requestId`: of the request in whose response stream it came, where the transport has such. */
  onMessage(message: unknown, requestId?: number): void;
  /**
   * A message that was too long was dropped. `id`: of its request, as far as that could be told
   * from its beginning and end.
   */
  onOversized(id: number | undefined): void;
  /** This request failed, and others may still work. */
  onFailed(id: number, error: CallError): void;
  /** Something that is not JSON; servers print such lines to stdout by mistake. */
  onNoise(text: string): void;
  /** Called once, with the reason; also after `close`. */
  onClose(error: CallError): void;
}
