import type { Dispatcher } from 'undici';
import type { Cancel, HttpRequest, HttpResponse } from '#core/http.ts';
import { Body, type Flow } from './body.ts';
import { toCallError } from './failure.ts';
import { readBytes, toText } from './read-text.ts';

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** A connection that an exchange has to itself. */
export interface Line {
  /** Nothing is read any more. */
  hold(): void;
  /** Reading goes on, at once. */
  go(): void;
  /** Reading goes on when undici looks again; the way to say so from inside its parser. */
  reset(): void;
}

/** `whole`: the connection is good for another exchange. */
export type Outcome = 'whole' | 'broken';

/** For each request: the handler that undici drives, and the answer that is made of it. */
export class Exchange implements Dispatcher.DispatchHandler, Flow {
  readonly answer: Promise<HttpResponse>;
  readonly #signal: Cancel;
  readonly #host: string;
  readonly #line: Line;
  readonly #onOver: (outcome: Outcome) => void;
  #resolve!: (response: HttpResponse) => void;
  #reject!: (reason: unknown) => void;
  #body: Body | undefined = undefined;
  #over = false;

  constructor(
    { signal }: Pick<HttpRequest, 'signal'>,
    host: string,
    line: Line,
    onOver: (outcome: Outcome) => void,
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

  // undici takes a handler without it for one of its older kind.
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
    if (!this.#over) this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#end('whole');
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toCallError(error, this.#host));
  }

  /** Also when what was to be sent cannot be had. */
  fail(error: unknown): void {
    if (this.#over) return;
    this.#end('broken');
    if (this.#body) this.#body.fail(error);
    else this.#reject(error);
  }

  hold(): void {
    if (!this.#over) this.#line.hold();
  }

  go(): void {
    if (!this.#over) this.#line.go();
  }

  drop(): void {
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

  #end(outcome: Outcome): void {
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

/** An object without a prototype to meet, as names are the other side's choice; made by `new`, for V8 keeps those fast. */
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
