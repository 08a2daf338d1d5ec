import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Id } from '#core/ids.ts';
import type { Exchange, HeaderList } from './endpoint.ts';
import { expire } from './expire.ts';
import type { Shares } from './shares.ts';

const NO_HEADERS: HeaderList = [];
/** What is larger does not fit into the system's buffers, and stays here for as long as nobody reads it. */
const LARGE_CHARS = 65_536;
/** So long it may stay without a byte being read; then the connection is cut. */
const UNREAD_MS = 120_000;
const UNAUTHENTICATED = 401;
/** So much of a body is read and thrown away, so that a caller that was refused keeps its connection. */
const LONG_BYTES = 65_536;
/** So long a client that is still sending is heard out after its answer. */
const LINGER_MS = 1000;

/** What all exchanges of a listener share, and what is this one's. */
interface ExchangeAbout {
  readonly reqId: Id<'req'>;
  /** On every answer: its id, and what a page of another origin needs to read it. */
  readonly common: HeaderList;
  readonly tracing: 'on' | 'off';
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** How many answers everybody has under way. */
  readonly busy: Shares;
}

/** A request of node's with its response. A class, as there is one for each request and all share their methods. */
export class HttpExchange implements Exchange {
  readonly request: IncomingMessage;
  error: CallError | undefined = undefined;
  onClose: (() => void) | undefined = undefined;
  /** When its stream began, if it is one. */
  streamsSince: number | undefined = undefined;
  readonly #response: ServerResponse;
  readonly #about: ExchangeAbout;
  #principal: string | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, about: ExchangeAbout) {
    this.request = request;
    this.#response = response;
    this.#about = about;
  }

  get reqId(): Id<'req'> {
    return this.#about.reqId;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  get unread(): number {
    return this.#response.writableLength;
  }

  inSpan<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return this.#about.tracing === 'on' ? AsyncResource.bind(work) : work;
  }

  claim(principal: string): boolean {
    if (!this.#about.busy.take(principal)) return false;
    this.#principal = principal;
    return true;
  }

  expire(): void {
    expire(this.#response);
  }

  /** To be called once, when it is over. */
  close(): void {
    if (this.#principal !== undefined) this.#about.busy.give(this.#principal);
    this.onClose?.();
  }

  answer(status: number, type: string, body: string, headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const head = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
    if (type !== '') head.push('content-type', type);
    head.push('content-length', String(Buffer.byteLength(body)), ...this.#about.common, ...headers);
    const { request } = this;
    if (status === UNAUTHENTICATED && isLong(request)) response.shouldKeepAlive = false;
    response.writeHead(status, head);
    if (body.length > LARGE_CHARS) response.setTimeout(UNREAD_MS);
    const text = request.method === 'HEAD' ? '' : body;
    if (request.complete || response.shouldKeepAlive) return void response.end(text);
    // Closing while the client still sends would make its machine throw the answer away.
    response.flushHeaders();
    response.write(text);
    const timer = this.#about.clock.after(LINGER_MS, () => response.end());
    response.once('close', () => timer.stop());
    request.resume().once('end', () => response.end());
  }

  openStream(headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    this.streamsSince = this.#about.clock.monotonic();
    // The head leaves with what is written right after it.
    const { socket } = response;
    if (socket) {
      // The socket, not the response: a response that ends while it is corked is garbled by newer versions of Node.
      socket.cork();
      process.nextTick(uncork, socket);
    }
    response.writeHead(200, [...STREAM_HEAD, ...this.#about.common, ...headers]);
    response.flushHeaders();
  }

  write(text: string): void {
    if (this.isOpen) this.#response.write(text);
  }

  end(last = ''): void {
    if (!this.isOpen) return;
    this.#response.end(last);
    if (this.unread > 0) this.#response.setTimeout(UNREAD_MS);
  }

  cut(): void {
    const { socket, writableEnded } = this.#response;
    this.#response.destroy();
    // Until it is its turn the response has no connection that it could end.
    if (!socket && !writableEnded) this.request.socket.destroy();
  }
}

/** Whether more of a request is on its way than is worth reading for the sake of the connection. */
function isLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length'] ?? 0) > LONG_BYTES;
}

function uncork(socket: Socket): void {
  socket.uncork();
}

// A proxy that gathers or compresses a stream would keep its events from the client until the end.
const STREAM_HEAD = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
  'x-content-type-options',
  'nosniff',
];
