import type { Dispatcher } from 'undici';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { HttpRequest, HttpResponse } from '#core/net/http.ts';
import { createTurnBudget, inOwnTurn } from '#core/turns.ts';
import { toNetworkCallError } from './network-errors.ts';
import { readBytes, toText } from './read-bytes.ts';

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Pauses and resumes the socket that a request has to itself. */
export interface SocketControl {
  /** Stops reading. */
  pause(): void;
  /** Resumes reading at once. */
  resume(): void;
  /** Resumes reading when undici reads next; safe to call from inside its parser. */
  reset(): void;
}

/** Read in one turn of the event loop, by all requests together: some milliseconds of work. */
const TURN_BYTES = 512 * 1024;
const LARGE_CHUNK_BYTES = 8 * 1024;
const turn = createTurnBudget(TURN_BYTES);

/** `whole`: the connection can be reused. */
export type ConnectionOutcome = 'whole' | 'broken';

/** The undici handler of one request, which turns undici's events into an `HttpResponse`. */
export class ResponseHandler implements Dispatcher.DispatchHandler, BodySource {
  readonly answer: Promise<HttpResponse>;
  readonly #signal: AbortSignalLike;
  readonly #host: string;
  readonly #line: SocketControl;
  readonly #onOver: (outcome: ConnectionOutcome) => void;
  #resolve!: (response: HttpResponse) => void;
  #reject!: (reason: unknown) => void;
  #body: Body | undefined = undefined;
  #over = false;
  /** The reader has enough for now. */
  #isHeld = false;
  /** Much has arrived in this turn of the event loop. */
  #isResting = false;

  constructor(
    { signal }: Pick<HttpRequest, 'signal'>,
    host: string,
    line: SocketControl,
    onOver: (outcome: ConnectionOutcome) => void,
  ) {
    this.#signal = signal;
    this.#host = host;
    this.#line = line;
    this.#onOver = onOver;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener('abort', this.#onAbort);
  }

  // Without this method undici takes the handler for one of its older API.
  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: RawHeaders,
  ): void {
    if (this.#over || status < 200) return;
    const body = new Body(this);
    this.#body = body;
    this.#resolve(new Response(status, headers, body, this.#host));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#over) return;
    // Only a vendor that sends as fast as it can has large chunks.
    if (chunk.length >= LARGE_CHUNK_BYTES && turn.spend(chunk.length)) this.#rest();
    this.#body?.push(chunk);
  }

  /** Lets other work of the event loop run before more is read. */
  #rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#line.pause();
    inOwnTurn(() => {
      this.#isResting = false;
      if (!this.#over && !this.#isHeld) this.#line.resume();
    });
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#end('whole');
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toNetworkCallError(error, this.#host));
  }

  /** Ends the request with an error, also when its body cannot be read. */
  fail(error: unknown): void {
    if (this.#over) return;
    this.#end('broken');
    if (this.#body) this.#body.fail(error);
    else this.#reject(error);
  }

  pause(): void {
    this.#isHeld = true;
    if (!this.#over) this.#line.pause();
  }

  resume(): void {
    this.#isHeld = false;
    if (!this.#over && !this.#isResting) this.#line.resume();
  }

  abandon(): void {
    if (!this.#over) this.#end('broken');
  }

  check(): void {
    this.#signal.throwIfAborted();
  }

  readonly #onAbort = (): void => {
    if (this.#over) return;
    this.#end('broken');
    const reason: unknown = this.#signal.reason;
    if (this.#body) this.#body.cut(reason);
    else this.#reject(reason);
  };

  #end(outcome: ConnectionOutcome): void {
    this.#over = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#line.reset();
    this.#onOver(outcome);
  }
}

class Response implements HttpResponse {
  readonly status: number;
  readonly body: Body;
  readonly #raw: RawHeaders;
  readonly #host: string;
  #headers: Readonly<Record<string, string>> | undefined = undefined;

  constructor(status: number, raw: RawHeaders, body: Body, host: string) {
    this.status = status;
    this.body = body;
    this.#raw = raw;
    this.#host = host;
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#headers ??= joined(this.#raw));
  }

  async text(maxBytes: number): Promise<string> {
    return toText(await readBytes(this.body, maxBytes, this.#host));
  }
}

/**
 * A constructor of objects without a prototype, because the server chooses the names; made by `new`
 * because V8 keeps such objects fast.
 */
const Plain = function () {} as unknown as new () => Record<string, string>;
Plain.prototype = Object.create(null) as object;

function joined(raw: RawHeaders): Record<string, string> {
  const headers = new Plain();
  for (const name in raw) {
    const value = raw[name];
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

/** Buffered bytes above which the socket is paused; one chunk more may still arrive. */
const ENOUGH_BYTES = 256 * 1024;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Control of the connection that a body arrives over. */
interface BodySource {
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops reading for good: the rest is not needed. */
  abandon(): void;
  /** Throws the abort reason when the caller has left, also after all bytes have arrived. */
  check(): void;
}

interface Taker {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(reason: unknown): void;
}

/**
 * The body of a response: the socket pushes chunks, one reader pulls them. A class because there is
 * one per response, and not a Node stream because that would cost more than the rest of the
 * request.
 */
class Body implements AsyncIterableIterator<Uint8Array> {
  readonly #flow: BodySource;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #takers: Taker[] = [];
  #end: { readonly failure?: { readonly reason: unknown } } | undefined = undefined;
  #held = false;

  constructor(flow: BodySource) {
    this.#flow = flow;
  }

  push(chunk: Uint8Array): void {
    const taker = this.#takers.shift();
    if (taker) return taker.resolve({ done: false, value: chunk });
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < ENOUGH_BYTES || this.#held) return;
    this.#held = true;
    this.#flow.pause();
  }

  finish(): void {
    this.#end ??= {};
    for (const taker of this.#takers) taker.resolve(END);
    this.#takers = [];
  }

  /** Ends the body with a failure, after the chunks that have already arrived. */
  fail(reason: unknown): void {
    if (this.#end) return;
    const [first, ...others] = this.#takers;
    this.#takers = [];
    this.#end = first ? {} : { failure: { reason } };
    first?.reject(reason);
    for (const taker of others) taker.resolve(END);
  }

  /** Ends the body with a failure at once and drops buffered chunks. */
  cut(reason: unknown): void {
    this.#forget();
    this.fail(reason);
  }

  /** All buffered chunks as one. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#end && this.#chunks.length === 0) {
      return new Promise((resolve, reject) => void this.#takers.push({ resolve, reject }));
    }
    try {
      return Promise.resolve(this.#ready());
    } catch (reason) {
      return Promise.reject(reason as Error);
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#forget();
    if (!this.#end) {
      this.finish();
      this.#flow.abandon();
    }
    return END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #ready(): IteratorResult<Uint8Array, undefined> {
    if (this.#end) this.#flow.check();
    if (this.#chunks.length > 0) return { done: false, value: this.#takeAll() };
    const { failure } = this.#end ?? {};
    this.#end = {};
    if (failure) throw failure.reason;
    return END;
  }

  /** Joins the buffered chunks: a promise for each small chunk would cost more than copying. */
  #takeAll(): Uint8Array {
    const [first] = this.#chunks;
    const all =
      first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#bytes);
    this.#forget();
    if (this.#held) {
      this.#held = false;
      this.#flow.resume();
    }
    return all;
  }

  #forget(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
