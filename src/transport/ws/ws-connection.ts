import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Clock, Timer } from '#core/clock.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { Opening, OpenSession, Session } from '../channel.ts';
import type { Arriving } from '../http/arriving.ts';
import { peerOf } from '../http/peer.ts';
import { createIntake, type Overrun } from './intake.ts';
import type { Watched } from './keepalive.ts';
import type { Newcomer } from './newcomers.ts';
import type { WsObserver } from './observe.ts';
import { createWsChannel } from './ws-channel.ts';

export interface WsConnection extends Watched, Newcomer {
  /** The caller is known by the upgrade already. */
  identify(principal: string): void;
  /** Lets the session finish what runs, then says goodbye. */
  drain(): Promise<void>;
  /** Says that there is no room, and ends at once. */
  turnAway(reason: string): void;
  terminate(): void;
}

interface Surroundings {
  readonly openSession: OpenSession;
  readonly observer: WsObserver;
  readonly clock: Clock;
  readonly arriving: Arriving;
  /** The caller is known. */
  readonly onIdentified: (connection: WsConnection, principal: string) => void;
  /** The socket is gone. */
  readonly onGone: (connection: WsConnection) => void;
}

/** For the client to read why, while what it still sends is thrown away. */
const LINGER_MS = 1000;
const TRY_AGAIN = 1013;
const EVICTED = 'Another connection needed this place before the hello came. Connect again.';

/** Ties one WebSocket to one session. */
export function createWsConnection(
  ws: WebSocket,
  socket: Socket,
  opening: Opening,
  { openSession, observer, clock, arriving, onIdentified, onGone }: Surroundings,
): WsConnection {
  const peer = peerOf(socket.remoteAddress);
  let session: Session | undefined;
  let isRefused = false;
  let hasSpoken = false;
  let lingering: Timer | undefined;

  /** A bug in a session costs this connection, and no other. */
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
  /** Reads on without keeping anything: closing while the client still sends would make its machine discard the close frame. */
  const refuse = ({ code, class: errorClass, reason }: Overrun) => {
    isRefused = true;
    observer.cut(errorClass, reason);
    channel.close(code, reason);
    socket.removeAllListeners('data');
    socket.resume();
    lingering = clock.after(LINGER_MS, () => ws.terminate());
  };
  const intake = createIntake(socket, {
    arriving,
    peer,
    onOverrun: refuse,
    onControls: () => channel.relieve(),
  });
  const channel = createWsChannel(ws, socket, {
    deliver(text) {
      hasSpoken = true;
      guarded(() => session?.onMessage(text));
      if (!intake.isIdentified) channel.hold();
    },
    giveUp: () => cut('too_large', 'The client leaves its answers unread.'),
    onIdentified(principal) {
      intake.identified(principal);
      onIdentified(connection, principal);
    },
  });
  const turnAway = (reason: string) => {
    isRefused = true;
    observer.cut('over_capacity', reason);
    channel.close(TRY_AGAIN, reason);
    socket.destroySoon();
  };
  const connection: WsConnection = {
    peer,
    get isEvictable() {
      return !hasSpoken || isRefused || ws.readyState !== ws.OPEN;
    },
    identify: (principal) => channel.identified?.(principal),
    evict: () => turnAway(EVICTED),
    turnAway,
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
    terminate: () => ws.terminate(),
  };

  // The library gives a Buffer unless told otherwise.
  ws.on('message', (data: Buffer, isBinary) => {
    if (isRefused) return;
    if (isBinary && !isUtf8(data)) {
      const reason = 'A message is not UTF-8.';
      observer.cut('bad_request', reason);
      channel.close(1007, reason);
    } else channel.receive(data.toString());
  });
  // The library closes with the fitting code itself; from here on nothing can be sent.
  ws.on('error', (error) => {
    if (!isRefused) observer.cut(classOf(error), error.message);
    endSession();
  });
  ws.on('close', () => {
    lingering?.stop();
    intake.end();
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
