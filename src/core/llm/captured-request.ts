/** One chat request with a vendor as it went over the wire, without its key. */
export interface CapturedRequest {
  /** Without password and query. */
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: unknown;
  /** HTTP status. */
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The response, or the first event of a stream; a text where it is not JSON. */
  readonly responseBody?: unknown;
}
