import type { ErrorClass } from '../errors/error-class.ts';

/** Who gets the token of a server that asks for one, as `mcpServers.NAME.login` names it. */
export const LOGIN_MODES = ['auto', 'client_credentials', 'off'] as const;
export type LoginMode = (typeof LOGIN_MODES)[number];

/** Whether a server has a login here: it has one, or asked for one, or neither. */
export type LoginStatus = 'done' | 'needed' | 'none';

/** The path of our listener to which an authorization server sends the browser back. */
export const LOGIN_CALLBACK_PATH = '/oauth/callback';

/** The owner's methods for logins, on the unix socket alone. */
export const LOGIN_METHODS = {
  begin: 'exai/servers/login',
  wait: 'exai/servers/login-wait',
  finish: 'exai/servers/login-finish',
  logout: 'exai/servers/logout',
} as const;

/** A login that waits for its user. */
export interface LoginBegun {
  readonly id: string;
  readonly server: string;
  /** Where the user logs in. */
  readonly url: string;
  /** Where the browser is sent afterwards. */
  readonly redirectUrl: string;
  /** The authorization server. */
  readonly issuer: string;
  readonly expiresInMs: number;
}

/** How far a login is. */
export type LoginProgress =
  | { readonly is: 'waiting' }
  | { readonly is: 'done'; readonly server: string; readonly tools?: number }
  | {
      readonly is: 'failed';
      readonly class: ErrorClass;
      readonly message: string;
      readonly fix?: string;
    };

export interface LoggedOut {
  readonly server: string;
  /** How many logins were deleted; with `shared` false, each caller may have one. */
  readonly deleted: number;
  /** Of these, how many the authorization server has revoked. */
  readonly revoked: number;
}
