import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { Channel, ConnectionInfo, InboundMessage, OpenSession, Session } from '../channel.ts';
import { LARGE_MESSAGE_BYTES, parseLargeMessage } from '../parse-large-message.ts';
import { peerOf } from '../http/peer-address.ts';
import type { ReceiveBuffers } from '../http/receive-buffers.ts';
import { createInboundLimits, type Overrun } from './inbound-limits.ts';
import type { KeepalivePeer } from './keepalive.ts';
import type { PendingConnection } from './pending-connections.ts';
import type { WsObserver } from './ws-observer.ts';

/** One WebSocket with its session. */
export interface WsConnection extends KeepalivePeer, PendingConnection {
  /** The caller was authenticated by the upgrade request. */
  identify(principal: string): void;
  /** Lets running calls finish, then closes. */
  drain(): Promise<void>;
  /** Answers the running calls with `interrupted`; `drain` then closes. */
  interrupt(): void;
  /** Closes at once because there is no room. */
  refuseFull(reason: string): void;
  terminate(): void;
}

interface WsConnectionContext {
  readonly openSession: OpenSession;
  readonly observer: WsObserver;
  readonly clock: Clock;
  readonly receiveBuffers: ReceiveBuffers;
  /** The caller is authenticated. */
  readonly onIdentified: (connection: WsConnection, principal: string) => void;
  /** The socket is gone. */
  readonly onGone: (connection: WsConnection) => void;
}

/** How long a refused client may read the reason, while its data is discarded. */
const LINGER_MS = 1000;
const TRY_AGAIN = 1013;
const EVICTED = 'Another connection needed this place before the hello came. Connect again.';

/** Connects one WebSocket to one session. */
export function createWsConnection(
  ws: WebSocket,
  socket: Socket,
  opening: ConnectionInfo,
  { openSession, observer, clock, receiveBuffers, onIdentified, onGone }: WsConnectionContext,
): WsConnection {
  const peer = peerOf(socket.remoteAddress);
  let session: Session | undefined;
  let isRefused = false;
  let hasReceived = false;
  let lingering: Timer | undefined;

  /** Runs `work`; an exception closes this connection only. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      observer.failed(thrown);
      channel.close(1011, 'Something failed inside EX-AI.');
    }
  };
  const endSession = () => {
    const ended = session;
    session = undefined;
    if (ended) guarded(() => ended.onClose());
  };
  const cut = (why: ErrorClass, reason: string) => {
    observer.cut(why, reason);
    ws.terminate();
  };
  /**
   * Closes, but keeps reading: closing while the client still sends would make its system discard
   * the close frame.
   */
  const refuse = ({ code, class: errorClass, reason }: Overrun) => {
    isRefused = true;
    observer.cut(errorClass, reason);
    channel.close(code, reason);
    socket.removeAllListeners('data');
    socket.resume();
    lingering = clock.after(LINGER_MS, () => ws.terminate());
  };
  const inboundLimits = createInboundLimits(socket, {
    receiveBuffers,
    peer,
    onOverrun: refuse,
    onControls: () => channel.relieve(),
  });
  const channel = createWsChannel(ws, socket, {
    mark: opening.session,
    deliver(message) {
      hasReceived = true;
      guarded(() => session?.onMessage(message));
      if (!inboundLimits.isIdentified) channel.hold();
    },
    giveUp: () => cut('too_large', 'The client leaves its answers unread.'),
    onIdentified(principal) {
      inboundLimits.identified(principal);
      onIdentified(connection, principal);
    },
  });
  const refuseFull = (reason: string) => {
    isRefused = true;
    observer.cut('over_capacity', reason);
    channel.close(TRY_AGAIN, reason);
    socket.destroySoon();
  };
  const connection: WsConnection = {
    peer,
    get isEvictable() {
      return !hasReceived || isRefused || ws.readyState !== ws.OPEN;
    },
    identify: (principal) => channel.identified?.(principal),
    evict: () => refuseFull(EVICTED),
    refuseFull,
    get bytesRead() {
      return socket.bytesRead;
    },
    get backlog() {
      return socket.writableLength;
    },
    ping: () => ws.ping(),
    giveUp: () => cut('timeout', 'The client does not answer pings.'),
    async drain() {
      try {
        await session?.drain();
      } catch (thrown) {
        observer.failed(thrown);
      }
      channel.close(1001, 'The daemon is stopping.');
    },
    interrupt: () => guarded(() => session?.interrupt()),
    terminate: () => ws.terminate(),
  };

  // The library passes a Buffer by default.
  ws.on('message', (data: Buffer, isBinary) => {
    if (isRefused) return;
    if (isBinary && !isUtf8(data)) {
      const reason = 'A message is not UTF-8.';
      observer.cut('bad_request', reason);
      channel.close(1007, reason);
    } else channel.receive(data.length > LARGE_MESSAGE_BYTES ? data : data.toString());
  });
  // The library closes with the matching code itself; nothing can be sent any more.
  ws.on('error', (error) => {
    if (!isRefused) observer.cut(classOf(error), error.message);
    endSession();
  });
  ws.on('close', () => {
    lingering?.stop();
    inboundLimits.end();
    endSession();
    onGone(connection);
  });
  guarded(() => {
    session = openSession(channel, opening);
  });
  return connection;
}

const TOO_LARGE = new Set(['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'WS_ERR_TOO_MANY_BUFFERED_PARTS']);

function classOf({ code = '' }: NodeJS.ErrnoException): ErrorClass {
  return TOO_LARGE.has(code) ? 'too_large' : 'bad_request';
}

/** Above this many unread bytes, reading from the client is paused until it has read them. */
const HIGH_WATER_MARK = 1024 * 1024;
/** A client with more unread bytes is disconnected; a single answer may be larger. */
const MAX_UNREAD = 64 * 1024 * 1024;
// A close frame holds 125 bytes, two of them for the code.
const MAX_REASON_BYTES = 123;

interface WsChannel extends Channel {
  /**
   * Delivers a message, or queues it until the client has read its answers, and until large ones
   * before it are parsed. Large ones are passed as bytes in UTF-8.
   */
  receive(message: string | Buffer): void;
  /** Pauses reading until the caller is authenticated. */
  hold(): void;
  /** Pauses reading while too much is unread, including pongs, which the library sends itself. */
  relieve(): void;
}

interface Receiver {
  /** A text that the client does not know. */
  readonly mark: string;
  readonly deliver: (message: InboundMessage) => void;
  /** The client reads too little. */
  readonly giveUp: () => void;
  /** The session has authenticated the caller. */
  readonly onIdentified: (principal: string) => void;
}

/**
 * A WebSocket as a channel. Messages of one tick leave in one write, which is most of the cost of
 * sending. Reading from a client that sends faster than it reads is paused: received messages are
 * queued, further ones stay at the client.
 */
function createWsChannel(
  ws: WebSocket,
  socket: Socket,
  { mark, deliver, giveUp, onIdentified }: Receiver,
): WsChannel {
  let held: (string | Buffer)[] = [];
  let isParsing = false;
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
    socket.once('drain', resumeReading);
  };

  const resumeReading = () => {
    isClear = true;
    if (!isParsing) deliverHeld();
  };

  const deliverHeld = () => {
    const waiting = held;
    held = [];
    for (const [index, message] of waiting.entries()) {
      take(message);
      if (isClosing) return;
      if (!isClear || isParsing) {
        held = [...waiting.slice(index + 1), ...held];
        return;
      }
    }
    if (!isHeld) ws.resume();
  };

  const take = (message: string | Buffer) => {
    if (typeof message === 'string') return deliver(message);
    isParsing = true;
    ws.pause();
    void parseLargeMessage(message, mark).then((parsed) => {
      isParsing = false;
      if (isClosing) return;
      deliver(parsed);
      if (!isClosing && isClear) deliverHeld();
    });
  };

  const relieve = () => {
    if (isClear && socket.writableLength > HIGH_WATER_MARK) stopReading();
  };

  return {
    transport: 'ws',
    get isClear() {
      return isClear;
    },
    receive(message) {
      if (isClosing) return;
      if (isClear && !isParsing) take(message);
      else held.push(message);
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
      if (isClear && !isParsing) ws.resume();
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
      // Otherwise the client's own close frame would never be read.
      ws.resume();
    },
  };
}
