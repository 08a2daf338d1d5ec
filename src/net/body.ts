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
  #next = 0;
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

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#end) this.#flow.check();
    const chunk = this.#chunks[this.#next];
    if (chunk) return { done: false, value: this.#take(chunk) };
    if (!this.#end) {
      return new Promise((resolve, reject) => void this.#takers.push({ resolve, reject }));
    }
    const { failure } = this.#end;
    this.#end = {};
    if (failure) throw failure.reason;
    return END;
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

  #take(chunk: Uint8Array): Uint8Array {
    this.#next += 1;
    this.#bytes -= chunk.length;
    if (this.#next === this.#chunks.length) this.#forget();
    if (this.#held && this.#bytes < ENOUGH_BYTES / 2) {
      this.#held = false;
      this.#flow.go();
    }
    return chunk;
  }

  #forget(): void {
    this.#chunks = [];
    this.#next = 0;
    this.#bytes = 0;
  }
}
