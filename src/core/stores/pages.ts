/** A fetched page, kept so that an unchanged one is not transferred again. */
export interface CachedPage {
  /** The requested address, without its fragment. */
  readonly url: string;
  /** The address after redirects. */
  readonly finalUrl: string;
  readonly contentType: string;
  /** Validators for a conditional request; empty if the server sent none. */
  readonly etag: string;
  readonly lastModified: string;
  readonly bytes: Uint8Array;
  /** When the server last confirmed it, in milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** A cache of pages. Its size is bounded: the pages that were checked longest ago are removed. */
export interface PageStore {
  get(url: string): Promise<CachedPage | undefined>;
  save(page: CachedPage): Promise<void>;
  /** The server confirmed that the page has not changed. */
  confirm(url: string, checkedAt: number): Promise<void>;
}
