import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Channel } from '../channel.ts';

/** Above this much unread, nothing more is taken from the client until it has read it all. In characters, roughly bytes. */
const HIGH_WATER = 1024 * 1024;
/** A client that lets its answers pile up to this is cut; a single answer may be larger. */
const MAX_UNREAD = 64 * 1024 * 1024;
// By the protocol a close frame holds 125 bytes, two of them for the code.
const MAX_REASON_BYTES = 123;

export interface WsChannel extends Channel {
  /** Hands a message on, or keeps it until the client has read what waits for it. */
  receive(text: string): void;
  /** Takes nothing more from the client until its caller is known. */
  hold(): void;
  /** Takes nothing more while too much is unread, whoever wrote it: the library answers pings itself. */
  relieve(): void;
}

interface Receiver {
  readonly deliver: (text: string) => void;
  /** The client reads so little that it cannot be served. */
  readonly giveUp: () => void;
  /** The session knows who is there. */
  readonly onIdentified: (principal: string) => void;
}

/**
 * A WebSocket as a channel. What is sent in one tick leaves in one write, which is most of what sending costs. A client
 * that asks faster than it reads is not read from: what it has sent already is kept, what it sends next stays with it.
 */
export function createWsChannel(
  ws: WebSocket,
  socket: Socket,
  { deliver, giveUp, onIdentified }: Receiver,
): WsChannel {
  let held: string[] = [];
  let isCorked = false;
  let isClear = true;
  let isClosing = false;
  let isHeld = false;

  const flush = () => {
    isCorked = false;
    socket.uncork();
  };

  const stopReading = () => {
    isClear = false;
    ws.pause();
    socket.once('drain', goOn);
  };

  const goOn = () => {
    isClear = true;
    const waiting = held;
    held = [];
    for (const [index, text] of waiting.entries()) {
      deliver(text);
      if (isClosing) return;
      if (!isClear) {
        held = waiting.slice(index + 1);
        return;
      }
    }
    if (!isHeld) ws.resume();
  };

  const relieve = () => {
    if (isClear && socket.writableLength > HIGH_WATER) stopReading();
  };

  return {
    door: 'ws',
    get isClear() {
      return isClear;
    },
    receive(text) {
      if (isClosing) return;
      if (isClear) deliver(text);
      else held.push(text);
    },
    hold() {
      if (isClosing) return;
      isHeld = true;
      ws.pause();
    },
    relieve,
    identified(principal) {
      if (isClosing) return;
      onIdentified(principal);
      isHeld = false;
      if (isClear) ws.resume();
    },
    send(text) {
      if (isClosing || ws.readyState !== ws.OPEN) return;
      if (socket.writableLength > MAX_UNREAD) return giveUp();
      if (!isCorked) {
        isCorked = true;
        socket.cork();
        process.nextTick(flush);
      }
      ws.send(text);
      relieve();
    },
    close(code, reason) {
      if (isClosing) return;
      isClosing = true;
      held = [];
      ws.close(code, Buffer.byteLength(reason) > MAX_REASON_BYTES ? '' : reason);
      // Otherwise the client's own close frame would never be seen.
      ws.resume();
    },
  };
}
