import type { CallError } from '#core/errors/call-error.ts';

/** Carries JSON-RPC messages between the hub and one server: a program's pipes, or a WebSocket. */
export interface MessageLink {
  /** A message as JSON, without a line end. Does nothing after the end. */
  send(json: string): void;
  /** Bytes that were sent and that the server has not taken yet. */
  readonly unsentBytes: number;
  /** Ends the link, and the program behind it. Resolves when that is done. */
  close(): Promise<void>;
}

export interface LinkHandlers {
  onMessage(message: unknown): void;
  /**
   * A message that was too long was dropped. `id`: of its request, as far as that could be told
   * from its beginning and end.
   */
  onOversized(id: number | undefined): void;
  /** Something that is not JSON; servers print such lines to stdout by mistake. */
  onNoise(text: string): void;
  /** Called once, with the reason; also after `close`. */
  onClose(error: CallError): void;
}
