import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '#core/clock.ts';

export interface Connections {
  /** From now on a connection goes as soon as its last request is answered; those with none go now. */
  closeWhenIdle(): void;
  /** Whether a request of this connection is being answered. */
  isBusy(socket: Duplex): boolean;
  /** Whether the one request of this connection is still arriving, and nothing was said to it yet. */
  isReceiving(socket: Duplex): boolean;
  /** What it sends now is no request any more: it goes when those before are answered. */
  endAfterAnswers(socket: Duplex): void;
  /** Whether it came when all places were taken: it is there for a probe, and not for long. */
  isSpare(socket: Duplex): boolean;
  /** This connection speaks another protocol from now on and belongs to somebody else. */
  release(socket: Duplex): void;
  /** Resolves when no connection is left but those released. */
  whenGone(): Promise<void>;
}

/** Over the bound, for whoever wants to know how full it is. */
const SPARE = 32;
const SPARE_MS = 2000;
/** Requests of one connection that wait behind each other. */
const MAX_PIPELINED = 256;

/**
 * Node calls a connection that never sent a request busy, so a stop would wait for it; hence our own count. It also tells
 * the end of a connection to the one answer alone that is being written: those of requests that were sent behind it, as
 * HTTP allows, are told here.
 */
export function trackConnections(server: Server, clock: Clock, max: number): Connections {
  const open = new Map<Duplex, Set<ServerResponse>>();
  /** Of those that are not spare; the one that has been idle longest comes first. */
  const idle = new Set<Duplex>();
  const spare = new WeakSet<Duplex>();
  const ending = new WeakSet<Duplex>();
  let waiting: (() => void)[] = [];
  let closing = false;

  const forget = (socket: Duplex) => {
    open.delete(socket);
    idle.delete(socket);
    spare.delete(socket);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  const makeRoom = () => {
    for (const socket of idle) {
      forget(socket);
      socket.destroy();
      return;
    }
  };

  const admitAsSpare = (socket: Socket) => {
    spare.add(socket);
    const timer = clock.after(SPARE_MS, () => {
      if (spare.has(socket)) socket.destroy();
    });
    socket.once('close', () => timer.stop());
  };

  server.on('connection', (socket: Socket) => {
    // One whose offer of another protocol was ignored is announced again.
    if (open.has(socket)) return;
    if (open.size >= max) makeRoom();
    if (open.size >= max + SPARE) return void socket.destroy();
    if (open.size >= max) admitAsSpare(socket);
    else idle.add(socket);
    const answers = new Set<ServerResponse>();
    open.set(socket, answers);
    socket.once('close', () => {
      forget(socket);
      for (const response of answers) if (!response.socket) tellGone(response);
    });
  });
  server.on('request', ({ socket }, response) => {
    const answers = open.get(socket);
    if (!answers) return;
    answers.add(response);
    // Nobody sends so many requests ahead who also reads the answers.
    if (answers.size > MAX_PIPELINED) return void socket.destroy();
    idle.delete(socket);
    response.once('close', () => {
      answers.delete(response);
      if (answers.size > 0 || !open.has(socket)) return;
      // Not when the peer agrees, but when all is sent: one that is stopped never would.
      if (closing) socket.destroySoon();
      else if (ending.has(socket)) socket.end();
      else if (!spare.has(socket)) idle.add(socket);
    });
  });
  return {
    closeWhenIdle() {
      closing = true;
      for (const [socket, answers] of open) if (answers.size === 0) socket.destroy();
    },
    isBusy: (socket) => (open.get(socket)?.size ?? 0) > 0,
    isReceiving(socket) {
      const [response, ...more] = open.get(socket) ?? [];
      return response !== undefined && more.length === 0 && isArriving(response);
    },
    endAfterAnswers: (socket) => void ending.add(socket),
    isSpare: (socket) => spare.has(socket),
    release: forget,
    whenGone: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}

function isArriving({ headersSent, req }: ServerResponse): boolean {
  return !headersSent && !req.complete;
}

function tellGone(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
