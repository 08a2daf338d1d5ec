import type { Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Id, NewId } from '#core/ids.ts';
import type { Clock } from '#core/time/clock.ts';
import { peerOf, THIS_MACHINE } from './peer-address.ts';
import { createQuota } from './quota.ts';
import { sendRequestTimeout } from './reply.ts';
import { isSlow, startTransferRate, type TransferRate } from './transfer-rate.ts';

/** The open HTTP connections of a server. */
export interface Connections {
  /** Closes idle connections now, and every other one after its last response. */
  closeWhenIdle(): void;
  /** Whether the connection has a request without a finished response. */
  isBusy(socket: Duplex): boolean;
  /** Whether the only request of the connection is still arriving and has no response yet. */
  isReceiving(socket: Duplex): boolean;
  /**
   * Closes the connection after the responses to its requests so far; its further input is invalid.
   */
  endAfterResponses(socket: Duplex): void;
  /** Whether the connection was opened beyond the limit. It may use probes for a short time. */
  isOverLimit(socket: Duplex): boolean;
  /** Stops tracking a connection that is upgraded to another protocol. */
  release(socket: Duplex): void;
  /** Resolves when all tracked connections are closed. */
  whenGone(): Promise<void>;
}

/** The server event for a connection that is ready for requests. */
export type ConnectionEvent = 'connection' | 'secureConnection';

/** Connections accepted beyond the limit, so that probes work when it is reached. */
const OVER_LIMIT_SLOTS = 32;
const OVER_LIMIT_MS = 2000;
/** Pipelined requests of one connection. */
const MAX_PIPELINED = 256;
/** A newer connection has probably sent a request that was not read yet. */
const FRESH_MS = 250;
/** How many connections are examined to find one to evict. */
const MAX_EXAMINED = 512;

/** Why a connection was closed to make room for another. */
export type EvictionReason = 'idle' | 'slow_request';

/** The limits of a server's connections, and what happens beyond them. */
export interface ConnectionOptions {
  readonly clock: Clock;
  /** The most that are open at a time. */
  readonly max: number;
  readonly newId: NewId;
  /** Called for each eviction; with the id that a slow request was answered with. */
  readonly onEvicted: (reason: EvictionReason, reqId: Id<'req'> | undefined) => void;
  /** Default: `connection`. */
  readonly connectionEvent?: ConnectionEvent;
}

interface OpenConnection {
  /** Unfinished responses, in the order of their requests. */
  readonly responses: Set<ServerResponse>;
  /** As `peerOf` returns it. */
  readonly peer: string;
  /** How fast the last request arrives. */
  rate: TransferRate;
}

/**
 * Tracks and limits the connections of a server. When the limit of all or of one peer is reached, a
 * new connection evicts an idle one, or else one whose request makes hardly any progress; never one
 * whose request is complete.
 *
 * Node's own tracking does not suffice: it counts a connection that never sent a request as busy,
 * so a stop would wait for it, and it emits `close` only on the response being written, not on
 * those of pipelined requests behind it.
 */
export function trackConnections(
  server: Server,
  { clock, max, newId, onEvicted, connectionEvent = 'connection' }: ConnectionOptions,
): Connections {
  /** The least recently examined first. */
  const open = new Map<Duplex, OpenConnection>();
  const slots = createQuota(max + OVER_LIMIT_SLOTS, () => true);
  /** Limit of one remote peer. */
  const maxPerPeer = Math.ceil(max / 2);
  /** Idle connections within the limit, the longest idle first. */
  const idle = new Set<Duplex>();
  const overLimit = new WeakSet<Duplex>();
  const ending = new WeakSet<Duplex>();
  let waiting: (() => void)[] = [];
  let closing = false;

  const forget = (socket: Duplex) => {
    const entry = open.get(socket);
    if (!entry) return;
    open.delete(socket);
    slots.release(entry.peer);
    idle.delete(socket);
    overLimit.delete(socket);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  const findIdle = (peer: string | undefined, since: 'a_while' | 'any_time') => {
    const nowMs = clock.monotonic();
    let left = MAX_EXAMINED;
    for (const socket of idle) {
      const entry = open.get(socket);
      const isCandidate = peer === undefined || entry?.peer === peer;
      const isOld = since === 'any_time' || (entry && nowMs - entry.rate.measured.atMs >= FRESH_MS);
      if (isCandidate && isOld) return socket;
      left -= 1;
      if (left === 0) return undefined;
    }
    return undefined;
  };

  const findSlow = (peer: string | undefined) => {
    const nowMs = clock.monotonic();
    let left = Math.min(open.size, MAX_EXAMINED);
    for (const [socket, entry] of open) {
      if (left === 0) return undefined;
      left -= 1;
      // To the end, so that all connections are examined in turn.
      open.delete(socket);
      open.set(socket, entry);
      const isCandidate = peer === undefined || entry.peer === peer;
      if (isCandidate && arrivingResponse(entry) && isSlow(entry.rate, bytesRead(socket), nowMs)) {
        return socket;
      }
    }
    return undefined;
  };

  /** Evicts a connection of one peer, or of any. */
  const makeRoom = (peer: string | undefined) => {
    const socket = findIdle(peer, 'a_while') ?? findSlow(peer) ?? findIdle(peer, 'any_time');
    if (!socket) return;
    const response = arrivingResponse(open.get(socket));
    forget(socket);
    const reqId = response && !response.headersSent ? newId('req') : undefined;
    if (response && reqId !== undefined) sendRequestTimeout(response, reqId);
    else socket.destroy();
    onEvicted(response ? 'slow_request' : 'idle', reqId);
  };

  const admitOverLimit = (socket: Socket) => {
    overLimit.add(socket);
    const timer = clock.after(OVER_LIMIT_MS, () => {
      if (overLimit.has(socket)) socket.destroy();
    });
    socket.once('close', () => timer.stop());
  };

  server.on(connectionEvent, (socket: Socket) => {
    // `ignoreUpgrade` emits the event again.
    if (open.has(socket)) return;
    const peer = peerOf(socket.remoteAddress);
    const hasPeerSlot = () => peer === THIS_MACHINE || slots.usedBy(peer) < maxPerPeer;
    if (!hasPeerSlot()) makeRoom(peer);
    else if (open.size >= max) makeRoom(undefined);
    if (!hasPeerSlot() || !slots.acquire(peer)) return void socket.destroy();
    if (open.size >= max) admitOverLimit(socket);
    else idle.add(socket);
    const responses = new Set<ServerResponse>();
    const entry = { responses, peer, rate: startTransferRate(0, clock.monotonic()) };
    open.set(socket, entry);
    socket.once('close', () => {
      forget(socket);
      for (const response of responses) if (!response.socket) emitClose(response);
    });
  });
  server.on('request', ({ socket }, response) => {
    const entry = open.get(socket);
    if (!entry) return;
    const { responses } = entry;
    responses.add(response);
    entry.rate = startTransferRate(0, clock.monotonic());
    // A client with so many pipelined requests does not read the responses.
    if (responses.size > MAX_PIPELINED) return void socket.destroy();
    idle.delete(socket);
    response.once('close', () => {
      responses.delete(response);
      if (responses.size > 0 || !open.has(socket)) return;
      // When all is sent, without waiting for the peer to close: a stopped one never would.
      if (closing) socket.destroySoon();
      else if (ending.has(socket)) socket.end();
      else if (!overLimit.has(socket)) idle.add(socket);
    });
  });
  return {
    closeWhenIdle() {
      closing = true;
      for (const [socket, { responses }] of open) if (responses.size === 0) socket.destroy();
    },
    isBusy: (socket) => (open.get(socket)?.responses.size ?? 0) > 0,
    isReceiving: (socket) => arrivingResponse(open.get(socket))?.headersSent === false,
    endAfterResponses: (socket) => void ending.add(socket),
    isOverLimit: (socket) => overLimit.has(socket),
    release: forget,
    whenGone: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}

/** The response to the only request of a connection while that request is still arriving. */
function arrivingResponse(entry: OpenConnection | undefined): ServerResponse | undefined {
  if (entry?.responses.size !== 1) return undefined;
  for (const response of entry.responses) return response.req.complete ? undefined : response;
  return undefined;
}

function bytesRead(socket: Duplex): number {
  return (socket as Socket).bytesRead;
}

function emitClose(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}

/**
 * Limits concurrent TLS handshakes, which `trackConnections` does not count yet. Beyond the limit
 * the oldest one is closed, so that stalled handshakes cannot keep out a client that completes its
 * own.
 */
export function limitTlsHandshakes(server: TlsServer, max: number): void {
  /**
   * By address and port of the peer, as the TLS socket is another object than the accepted socket.
   */
  const waiting = createBoundedMap<string, Socket>({
    maxEntries: max,
    onEvict: (socket) => socket.destroy(),
  });
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    waiting.set(name, socket);
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name);
    });
  });
  server.on('secureConnection', (socket) => waiting.delete(nameOf(socket)));
}
