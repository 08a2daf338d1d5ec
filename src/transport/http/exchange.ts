import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallError } from '#core/call-error.ts';
import type { Exchange, HeaderList } from './endpoint.ts';

const NO_HEADERS: HeaderList = [];
/** What is larger does not fit into the system's buffers, and stays here for as long as nobody reads it. */
const LARGE_CHARS = 65_536;
/** So long it may stay without a byte being read; then the connection is cut. */
const UNREAD_MS = 120_000;

/** A request of node's with its response. A class, as there is one for each request and all share their methods. */
export class HttpExchange implements Exchange {
  readonly request: IncomingMessage;
  error: CallError | undefined = undefined;
  onClose: (() => void) | undefined = undefined;
  readonly #response: ServerResponse;
  /** On every answer: its id, and what a page of another origin needs to read it. */
  readonly #common: HeaderList;
  readonly #tracing: 'on' | 'off';

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    common: HeaderList,
    tracing: 'on' | 'off',
  ) {
    this.request = request;
    this.#response = response;
    this.#common = common;
    this.#tracing = tracing;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  get unread(): number {
    return this.#response.writableLength;
  }

  inSpan<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return this.#tracing === 'on' ? AsyncResource.bind(work) : work;
  }

  answer(status: number, type: string, body: string, headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const head = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
    if (type !== '') head.push('content-type', type);
    head.push('content-length', String(Buffer.byteLength(body)), ...this.#common, ...headers);
    response.writeHead(status, head);
    if (body.length > LARGE_CHARS) response.setTimeout(UNREAD_MS);
    response.end(this.request.method === 'HEAD' ? undefined : body);
  }

  openStream(headers = NO_HEADERS): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    // The head leaves with what is written right after it.
    response.cork();
    process.nextTick(uncork, response);
    response.writeHead(200, [...STREAM_HEAD, ...this.#common, ...headers]);
    response.flushHeaders();
  }

  write(text: string): void {
    if (this.isOpen) this.#response.write(text);
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}

function uncork(response: ServerResponse): void {
  response.uncork();
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
