import type { AbortSignalLike } from './abort.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent in chunks unless the headers have `content-length`. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Aborts the request and closes its socket; its reason is thrown. */
  readonly signal: AbortSignalLike;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Readable once. Stopping before the end closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8 without a byte order mark; throws `too_large` beyond the limit. */
  text(maxBytes: number): Promise<string>;
}

/** The HTTP client: real in net/, simulated in tests. Redirects are not followed. */
export interface Http {
  /**
   * Resolves when the headers have arrived. Throws the signal's reason, `network`, or
   * `bad_response`.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Aborts open requests and refuses new ones. */
  close(): Promise<void>;
}
