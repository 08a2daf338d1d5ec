import type { TcpConnection } from '#core/auth/authenticator.ts';

/**
 * A bidirectional connection for text messages with one client: WebSocket, unix socket or
 * simulator.
 */
export interface Channel {
  readonly transport: 'ws' | 'unix';
  /** Never throws; does nothing after the end. */
  send(text: string): void;
  /** False while the client reads slowly; optional messages such as progress are skipped then. */
  readonly isClear: boolean;
  /**
   * Called after authentication, which lifts the limits of unknown clients. Absent where there are
   * none.
   */
  identified?(principal: string): void;
  /** Sends what is queued, then closes the connection. The code is for WebSocket only. */
  close(code: number, reason: string): void;
}

/** A message of a client: its text, or a large one as its listener has parsed it. */
export type InboundMessage = string | ParsedMessage;

export interface ParsedMessage {
  /** Undefined if it is not JSON, or is too complex. */
  readonly value: unknown;
  /** The length of its text, for limits on what may wait. */
  readonly chars: number;
}

/** The receiver of a channel's messages, for one protocol. */
export interface Session {
  onMessage(message: InboundMessage): void;
  /**
   * The client sends no more, but may still read: running calls are answered, then the session
   * closes the channel.
   */
  onEnd(): void;
  /** The client has disconnected: its running calls are cancelled. */
  onClose(): void;
  /** Rejects new calls; resolves when the last running one is answered. */
  drain(): Promise<void>;
  /** The time to drain is over: answers the running calls with `interrupted`. */
  interrupt(): void;
}

/** Facts about a new connection. */
export interface ConnectionInfo {
  /** A random id for limits and audit; never shown to other clients. */
  readonly session: string;
  /** The bearer token of the upgrade request, if any. */
  readonly token: string | undefined;
  /** The TCP connection; absent for unix sockets. */
  readonly connection?: TcpConnection;
  /** The negotiated WebSocket subprotocol. */
  readonly protocol: string | undefined;
}

export type OpenSession = (channel: Channel, connection: ConnectionInfo) => Session;
