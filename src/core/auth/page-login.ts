/** RPC methods of the page at `/`. Served on the unix socket only, to the owner. */
export const PAGE_METHODS = { open: 'exai/page/open', logout: 'exai/page/logout' } as const;

/** A one-time code for the page, and the two ways to use it. */
export interface PageOpened {
  /** The address of the page. */
  readonly url: string;
  /** Where the code can be typed. */
  readonly loginUrl: string;
  readonly code: string;
  readonly expiresInMs: number;
  /** A private file that posts the code when a browser opens it. Removed with the code. */
  readonly file: string;
}

export type Redeemed =
  /** `token`: 256 random bits for the cookie; stored as digest only. */
  | { readonly is: 'session'; readonly token: string }
  /** The code was never issued, is expired or was used. */
  | { readonly is: 'refused' }
  | { readonly is: 'limited'; readonly retryAfterMs: number };

/** The logins of browsers, as the page needs them. */
export interface PageLogins {
  /** `peer`: the address that wrong codes are counted for. */
  redeem(code: string, peer: string): Redeemed;
  /** Whether a session has this token; counts as a use of it. */
  isValid(token: string): boolean;
  end(token: string): void;
}

export interface PageLoggedOut {
  /** How many browsers were logged in. */
  readonly ended: number;
}
