import type { CallError } from '../errors/call-error.ts';
import type { DocumentSource, ReadDocument } from './document.ts';

/** A page or document of the web, as it was read on this machine. */
export interface WebDocument {
  /** The final address, after redirects. */
  readonly url: string;
  /** `cache`: not requested again. `confirmed`: the server said that it has not changed. */
  readonly source: 'network' | 'cache' | 'confirmed';
  readonly document: ReadDocument;
}

/** Reads pages of the web from this machine, from public addresses only. */
export interface WebPages {
  read(
    url: string,
    options: Pick<DocumentSource, 'password' | 'pages'>,
    signal: AbortSignal,
  ): Promise<WebDocument>;
  /**
   * Whether a provider may be given the address instead: it is public, and so is everything that
   * the failure says about it. `incomplete`: the page was read, but scripts write its text.
   */
  mayHandOver(url: string, failure: CallError | 'incomplete'): boolean;
  /** Throws for an address that no provider is given: it is not public, or has a password in it. */
  requirePublic(url: string): void;
}
