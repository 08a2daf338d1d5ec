import type { TcpConnection } from '#core/doorman.ts';

/** A two-way line of text messages to one client: a WebSocket, a unix socket, or one of the simulator. */
export interface Channel {
  readonly door: 'ws' | 'unix';
  /** Never throws; after the end it does nothing. */
  send(text: string): void;
  /** False while the client reads slowly: what may be left out, such as progress, is then left out. */
  readonly isClear: boolean;
  /** It is known who is there, and may send as much as any client. Absent where nothing is counted before. */
  identified?(principal: string): void;
  /** Sends what is waiting, then ends the connection. Codes are those of WebSocket; other lines ignore them. */
  close(code: number, reason: string): void;
}

/** What a channel delivers to. Made by whoever speaks the client's protocol. */
export interface Session {
  onMessage(text: string): void;
  /** The client sends no more, but may still read: what runs is answered, then the session closes the channel. */
  onEnd(): void;
  /** Nobody is there any more: what runs for this client is cancelled. */
  onClose(): void;
  /** The daemon is stopping: no new calls; resolves when the last running one is answered. */
  drain(): Promise<void>;
}

/** How a connection began. */
export interface Opening {
  /** Random, for limits and the audit; never shown to other clients. */
  readonly session: string;
  /** Bearer of the upgrade request, if any. */
  readonly token: string | undefined;
  /** The TCP connection, where it is one. */
  readonly connection?: TcpConnection;
  /** The WebSocket subprotocol that was agreed on. */
  readonly protocol: string | undefined;
}

export type OpenSession = (channel: Channel, opening: Opening) => Session;
