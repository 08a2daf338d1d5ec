/** Above this the socket is not read; what was read is at most one piece more. */
const ENOUGH_BYTES = 256 * 1024;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The connection under a body. */
export interface Flow {
  /** Stops reading, until `go`. */
  hold(): void;
  go(): void;
  /** Nobody wants the rest. */
  drop(): void;
  /** The caller has gone, though everything had arrived; throws its reason. */
  check(): void;
}

interface Taker {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(reason: unknown): void;
}

/**
 * The bytes of an answer between the socket, which pushes, and one reader, who pulls. A class, as there is one for each
 * answer; node's streams would cost more than the rest of the exchange.
 */
export class Body implements AsyncIterableIterator<Uint8Array> {
  readonly #flow: Flow;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #takers: Taker[] = [];
  #end: { readonly failure?: { readonly reason: unknown } } | undefined = undefined;
  #held = false;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(chunk: Uint8Array): void {
    const taker = this.#takers.shift();
    if (taker) return taker.resolve({ done: false, value: chunk });
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < ENOUGH_BYTES || this.#held) return;
    this.#held = true;
    this.#flow.hold();
  }

  finish(): void {
    this.#end ??= {};
    for (const taker of this.#takers) taker.resolve(END);
    this.#takers = [];
  }

  /** What had arrived before is still handed out; then the reader gets the reason. */
  fail(reason: unknown): void {
    if (this.#end) return;
    const [first, ...others] = this.#takers;
    this.#takers = [];
    this.#end = first ? {} : { failure: { reason } };
    first?.reject(reason);
    for (const taker of others) taker.resolve(END);
  }

  /** The reader gets the reason at once. */
  cut(reason: unknown): void {
    this.#forget();
    this.fail(reason);
  }

  /** What had come by then, in one piece. */
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
      this.#flow.drop();
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

  /** A promise for each of many small chunks costs more than copying them together. */
  #takeAll(): Uint8Array {
    const [first] = this.#chunks;
    const all =
      first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#bytes);
    this.#forget();
    if (this.#held) {
      this.#held = false;
      this.#flow.go();
    }
    return all;
  }

  #forget(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
