import type { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';

/** A refusal of a server, and what it was refused for. */
export interface Refusal {
  readonly status: number;
  /** `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** The header that the request had. */
  readonly used: string | undefined;
}

/** The `Authorization` header of requests to a server. */
export interface HttpAuthorization {
  /** Undefined: the request has none. */
  header(signal: AbortSignalLike): string | undefined | Promise<string | undefined>;
  /** The server took the header. */
  accepted(used: string | undefined): void;
  /**
   * After a refusal: `again` if there is another header now; an error if there is none; `other` if
   * the refusal is about something else.
   */
  refused(refusal: Refusal, signal: AbortSignalLike): Promise<'again' | 'other' | CallError>;
}
