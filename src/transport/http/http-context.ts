import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { Clock } from '#core/time/clock.ts';
import { sendRequestTimeout } from './reply.ts';
import type { Quota } from './quota.ts';

/** Header names and values, alternating, in lower case. Node writes this form fastest. */
export type HeaderList = readonly string[];

/** The output side of one HTTP response; tests put a fake in its place. No method throws. */
export interface ResponseSink {
  /** Sends a complete response. */
  answer(status: number, type: string, body: string, headers?: HeaderList): void;
  /** Sends the head of an SSE stream. */
  openStream(headers?: HeaderList): void;
  write(text: string): void;
  /** Ends the stream, after a last text if there is one. */
  end(last?: string): void;
  /** Closes the connection at once; unsent bytes are lost. */
  destroy(): void;
  /** Bytes that were written and not yet taken by the peer. */
  readonly bufferedBytes: number;
  /** Called one time, when everything is sent or the client has disconnected. */
  onClose: (() => void) | undefined;
}

/** An HTTP request with its response. */
export interface HttpContext extends ResponseSink {
  readonly request: IncomingMessage;
  /** The request id that the response carries. */
  readonly reqId: Id<'req'>;
  /** Whether the client is still connected and the response not finished. */
  readonly isOpen: boolean;
  /** The reason of a refusal, for the log. */
  error: CallError | undefined;
  /** Headers of the response beside those that its sender gives. */
  moreHeaders?: HeaderList;
  /** Milliseconds since the request came in. Absent in fakes. */
  elapsedMs?(): number;
  /**
   * Takes one of the concurrent requests that a principal may have; false if all are in use. Absent
   * where requests are not counted.
   */
  acquireSlot?(principal: string): boolean;
  /**
   * Answers 408 because the request arrives too slowly, and ends the connection. Absent in fakes.
   */
  expire?(): void;
  /**
   * Sends a complete response of bytes as they are read. Rejects if they cannot be read; the
   * connection is then closed, if its head was sent. Absent in fakes and for shared responses.
   */
  sendBytes?(chunks: AsyncIterable<Uint8Array>, headers: HeaderList): Promise<void>;
  /**
   * Binds a callback to the span of the request, as it runs after the body has arrived. Absent
   * without tracing.
   */
  inSpan?<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void;
}

const NO_HEADERS: HeaderList = [];
/**
 * Larger bodies do not fit into the socket buffers and stay in our memory until the client reads
 * them.
 */
const LARGE_CHARS = 65_536;
/** Time without a byte being read after which the connection is closed. */
const UNREAD_MS = 120_000;
const UNAUTHENTICATED = 401;
/** The largest body that is read and discarded to keep the connection of a refused caller. */
const LONG_BYTES = 65_536;
/** How long a client may continue sending its request after it was answered. */
const LINGER_MS = 1000;

/** What a context needs beside request and response. */
interface HttpContextOptions {
  readonly reqId: Id<'req'>;
  /** Headers of every response: its id and CORS. */
  readonly commonHeaders: HeaderList;
  readonly tracing: 'on' | 'off';
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Concurrent requests by principal. */
  readonly activeRequests: Quota;
}

/**
 * `HttpContext` over Node's request and response. A class, so that contexts share their methods:
 * there is one for each request.
 */
export class NodeHttpContext implements HttpContext {
  readonly request: IncomingMessage;
  error: CallError | undefined = undefined;
  onClose: (() => void) | undefined = undefined;
  moreHeaders: HeaderList = NO_HEADERS;
  /** When the stream began; undefined for a response that is not streamed. */
  streamStartedAt: number | undefined = undefined;
  readonly #response: ServerResponse;
  readonly #options: HttpContextOptions;
  readonly #startedAt: number;
  #principal: string | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, options: HttpContextOptions) {
    this.request = request;
    this.#response = response;
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  elapsedMs(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }

  get reqId(): Id<'req'> {
    return this.#options.reqId;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  inSpan<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return this.#options.tracing === 'on' ? AsyncResource.bind(work) : work;
  }

  acquireSlot(principal: string): boolean {
    if (!this.#options.activeRequests.acquire(principal)) return false;
    this.#principal = principal;
    return true;
  }

  expire(): void {
    sendRequestTimeout(this.#response, this.reqId);
  }

  /** Must be called one time, when the response has closed. */
  close(): void {
    if (this.#principal !== undefined) this.#options.activeRequests.release(this.#principal);
    this.onClose?.();
  }

  answer(status: number, type: string, body: string, headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const head = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
    if (type !== '') head.push('content-type', type);
    head.push(
      'content-length',
      String(Buffer.byteLength(body)),
      ...this.#options.commonHeaders,
      ...this.moreHeaders,
      ...headers,
    );
    const { request } = this;
    if (status === UNAUTHENTICATED && isLong(request)) response.shouldKeepAlive = false;
    response.writeHead(status, head);
    if (body.length > LARGE_CHARS) response.setTimeout(UNREAD_MS);
    const text = request.method === 'HEAD' ? '' : body;
    if (request.complete || response.shouldKeepAlive) return void response.end(text);
    // If we closed while the client still sends, its TCP stack would discard the response.
    response.flushHeaders();
    response.write(text);
    const timer = this.#options.clock.after(LINGER_MS, () => response.end());
    response.once('close', () => timer.stop());
    request.resume().once('end', () => response.end());
  }

  openStream(headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    this.streamStartedAt = this.#options.clock.monotonic();
    // Corked, so that the head is sent together with the first text.
    const { socket } = response;
    if (socket) {
      // The socket, not the response: newer versions of Node garble a response that ends while it
      // is corked.
      socket.cork();
      process.nextTick(uncork, socket);
    }
    const { commonHeaders } = this.#options;
    response.writeHead(200, [...STREAM_HEAD, ...commonHeaders, ...this.moreHeaders, ...headers]);
    response.flushHeaders();
  }

  async sendBytes(chunks: AsyncIterable<Uint8Array>, headers: HeaderList): Promise<void> {
    const response = this.#response;
    const begin = () => {
      if (response.headersSent || response.destroyed) return;
      response.setTimeout(UNREAD_MS);
      const { commonHeaders } = this.#options;
      response.writeHead(200, [...BYTES_HEAD, ...commonHeaders, ...this.moreHeaders, ...headers]);
    };
    if (this.request.method === 'HEAD') {
      begin();
      return void response.end();
    }
    try {
      for await (const chunk of chunks) {
        begin();
        if (response.destroyed) return;
        if (!response.write(chunk)) await drained(response);
      }
      begin();
      response.end();
    } catch (thrown) {
      if (response.headersSent) this.destroy();
      throw thrown;
    }
  }

  write(text: string): void {
    if (this.isOpen) this.#response.write(text);
  }

  end(last = ''): void {
    if (!this.isOpen) return;
    this.#response.end(last);
    if (this.bufferedBytes > 0) this.#response.setTimeout(UNREAD_MS);
  }

  destroy(): void {
    const { socket, writableEnded } = this.#response;
    this.#response.destroy();
    // A pipelined response has no socket until those before it are sent.
    if (!socket && !writableEnded) this.request.socket.destroy();
  }
}

/** Whether the rest of a request is too long to read it only to keep the connection. */
function isLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length'] ?? 0) > LONG_BYTES;
}

/** Resolves when more can be written, or nothing any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

const BYTES_HEAD = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];

function uncork(socket: Socket): void {
  socket.uncork();
}

// Keeps proxies from buffering or compressing the stream, which would delay its events.
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
