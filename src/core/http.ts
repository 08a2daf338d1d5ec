/**
 * As much of an AbortSignal as an exchange needs, and every AbortSignal is one. A real one costs Node 20 as much as the rest of what
 * is done for a request.
 */
export interface Cancel {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: { readonly once?: boolean },
  ): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, in chunks unless `content-length` is among the headers. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the exchange at any moment and closes its socket; its reason is what is thrown. */
  readonly signal: Cancel;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read to its end, once. Whoever stops before closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8, a byte order mark taken off; `too_large` beyond the limit. */
  text(maxBytes: number): Promise<string>;
}

/** The network as rooms see it: real in net/, simulated in tests. Redirects are answers like any other. */
export interface Http {
  /** Resolves when the headers are there. Throws the signal's reason, `network`, or `bad_response`. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Ends what is under way; whoever sends afterwards is refused. */
  close(): Promise<void>;
}
