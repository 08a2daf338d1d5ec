import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ErrorClass } from '#core/error-class.ts';
import type { Opening, OpenSession, Session } from '../channel.ts';
import type { Watched } from './keepalive.ts';
import type { WsObserver } from './observe.ts';
import { createWsChannel } from './ws-channel.ts';

export interface WsConnection extends Watched {
  /** Lets the session finish what runs, then says goodbye. */
  drain(): Promise<void>;
  terminate(): void;
}

interface Surroundings {
  readonly openSession: OpenSession;
  readonly observer: WsObserver;
  /** The socket is gone. */
  readonly onGone: (connection: WsConnection) => void;
}

/** Ties one WebSocket to one session. */
export function createWsConnection(
  ws: WebSocket,
  socket: Socket,
  opening: Opening,
  { openSession, observer, onGone }: Surroundings,
): WsConnection {
  let session: Session | undefined;

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
  const cut = (why: ErrorClass) => {
    observer.cut(why);
    ws.terminate();
  };
  const channel = createWsChannel(ws, socket, {
    deliver: (text) => guarded(() => session?.onMessage(text)),
    giveUp: () => cut('too_large'),
  });
  const connection: WsConnection = {
    get bytesRead() {
      return socket.bytesRead;
    },
    get backlog() {
      return socket.writableLength;
    },
    ping: () => ws.ping(),
    giveUp: () => cut('timeout'),
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
    if (isBinary && !isUtf8(data)) {
      observer.cut('bad_request');
      channel.close(1007, 'A message is not UTF-8.');
    } else channel.receive(data.toString());
  });
  // The library closes with the fitting code itself; from here on nothing can be sent.
  ws.on('error', (error) => {
    observer.cut(classOf(error));
    endSession();
  });
  ws.on('close', () => {
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
