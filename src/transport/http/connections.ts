import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '#core/clock.ts';
import { expire } from './expire.ts';
import { isSlow, startPace, type Pace } from './pace.ts';
import { peerOf, THIS_MACHINE } from './peer.ts';
import { createShares } from './shares.ts';

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

/** The event by which a server tells of a connection that requests can come from. */
export type Arrival = 'connection' | 'secureConnection';

/** Over the bound, for whoever wants to know how full it is. */
const SPARE = 32;
const SPARE_MS = 2000;
/** Requests of one connection that wait behind each other. */
const MAX_PIPELINED = 256;
/** A connection that is so new has probably sent a request that was not read yet. */
const FRESH_MS = 250;
/** How many connections are looked at to find one that can make room. */
const MAX_LOOKED_AT = 512;

/** Why a connection was ended for the sake of another. */
export type Evicted = 'idle' | 'slow_request';

interface Open {
  /** Under way, in the order of their requests. */
  readonly answers: Set<ServerResponse>;
  /** See `peerOf`. */
  readonly peer: string;
  /** How fast its last request arrives. */
  pace: Pace;
}

/**
 * When all places are taken, or those that one peer may have, an idle connection makes room for a new one, or else one whose request has
 * hardly made progress. A connection whose request is complete is never ended for another.
 *
 * Node calls a connection that never sent a request busy, so a stop would wait for it; hence our own count. It also tells
 * the end of a connection to the one answer alone that is being written: those of requests that were sent behind it, as
 * HTTP allows, are told here.
 */
export function trackConnections(
  server: Server,
  clock: Clock,
  max: number,
  onEvicted: (why: Evicted) => void,
  arrival: Arrival = 'connection',
): Connections {
  /** Those looked at longest ago come first. */
  const open = new Map<Duplex, Open>();
  const places = createShares(max + SPARE, () => true);
  /** Of one peer that is not of this machine. */
  const share = Math.ceil(max / 2);
  /** Of those that are not spare; the one that has been idle longest comes first. */
  const idle = new Set<Duplex>();
  const spare = new WeakSet<Duplex>();
  const ending = new WeakSet<Duplex>();
  let waiting: (() => void)[] = [];
  let closing = false;

  const forget = (socket: Duplex) => {
    const entry = open.get(socket);
    if (!entry) return;
    open.delete(socket);
    places.give(entry.peer);
    idle.delete(socket);
    spare.delete(socket);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  const findIdle = (peer: string | undefined, since: 'a_while' | 'any_time') => {
    const nowMs = clock.monotonic();
    let left = MAX_LOOKED_AT;
    for (const socket of idle) {
      const entry = open.get(socket);
      const isCandidate = peer === undefined || entry?.peer === peer;
      const isOld = since === 'any_time' || (entry && nowMs - entry.pace.measured.atMs >= FRESH_MS);
      if (isCandidate && isOld) return socket;
      left -= 1;
      if (left === 0) return undefined;
    }
    return undefined;
  };

  const findSlow = (peer: string | undefined) => {
    const nowMs = clock.monotonic();
    let left = Math.min(open.size, MAX_LOOKED_AT);
    for (const [socket, entry] of open) {
      if (left === 0) return undefined;
      left -= 1;
      // To the end, so that every connection is looked at in its turn.
      open.delete(socket);
      open.set(socket, entry);
      const isCandidate = peer === undefined || entry.peer === peer;
      if (isCandidate && arrivingOf(entry) && isSlow(entry.pace, bytesOf(socket), nowMs)) {
        return socket;
      }
    }
    return undefined;
  };

  /** Of one peer, or of anybody. */
  const makeRoom = (peer: string | undefined) => {
    const socket = findIdle(peer, 'a_while') ?? findSlow(peer) ?? findIdle(peer, 'any_time');
    if (!socket) return;
    const response = arrivingOf(open.get(socket));
    forget(socket);
    if (response && !response.headersSent) expire(response);
    else socket.destroy();
    onEvicted(response ? 'slow_request' : 'idle');
  };

  const admitAsSpare = (socket: Socket) => {
    spare.add(socket);
    const timer = clock.after(SPARE_MS, () => {
      if (spare.has(socket)) socket.destroy();
    });
    socket.once('close', () => timer.stop());
  };

  server.on(arrival, (socket: Socket) => {
    // One whose offer of another protocol was ignored is announced again.
    if (open.has(socket)) return;
    const peer = peerOf(socket.remoteAddress);
    const hasShare = () => peer === THIS_MACHINE || places.of(peer) < share;
    if (!hasShare()) makeRoom(peer);
    else if (open.size >= max) makeRoom(undefined);
    if (!hasShare() || !places.take(peer)) return void socket.destroy();
    if (open.size >= max) admitAsSpare(socket);
    else idle.add(socket);
    const answers = new Set<ServerResponse>();
    const entry = { answers, peer, pace: startPace(0, clock.monotonic()) };
    open.set(socket, entry);
    socket.once('close', () => {
      forget(socket);
      for (const response of answers) if (!response.socket) tellGone(response);
    });
  });
  server.on('request', ({ socket }, response) => {
    const entry = open.get(socket);
    if (!entry) return;
    const { answers } = entry;
    answers.add(response);
    entry.pace = startPace(0, clock.monotonic());
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
      for (const [socket, { answers }] of open) if (answers.size === 0) socket.destroy();
    },
    isBusy: (socket) => (open.get(socket)?.answers.size ?? 0) > 0,
    isReceiving: (socket) => arrivingOf(open.get(socket))?.headersSent === false,
    endAfterAnswers: (socket) => void ending.add(socket),
    isSpare: (socket) => spare.has(socket),
    release: forget,
    whenGone: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}

/** The answer to the one request of a connection, while that request is still arriving. */
function arrivingOf(entry: Open | undefined): ServerResponse | undefined {
  if (entry?.answers.size !== 1) return undefined;
  for (const response of entry.answers) return response.req.complete ? undefined : response;
  return undefined;
}

function bytesOf(socket: Duplex): number {
  return (socket as Socket).bytesRead;
}

function tellGone(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
