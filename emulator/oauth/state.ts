import { randomBytes } from 'node:crypto';

/** A client that registered itself, or that is registered beforehand. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  readonly redirectUris: readonly string[];
  readonly method: string;
}

export interface Grant {
  readonly clientId: string;
  readonly scope: string;
  readonly resource: string;
}

interface CodeGrant extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

interface AccessToken extends Grant {
  readonly expiresAtMs: number;
}

/** What the authorization server knows. */
export interface OAuthState {
  readonly clients: Map<string, OAuthClient>;
  /** By code; a code works one time. */
  readonly codes: Map<string, CodeGrant>;
  readonly access: Map<string, AccessToken>;
  readonly refresh: Map<string, Grant>;
  reset(): void;
}

/** Registered beforehand: for any loopback address, and without a user. */
export const STATIC_CLIENT: OAuthClient = {
  id: 'registered-client',
  secret: 'registered-secret',
  redirectUris: [],
  method: 'client_secret_basic',
};

export function createState(): OAuthState {
  const state: OAuthState = {
    clients: new Map([[STATIC_CLIENT.id, STATIC_CLIENT]]),
    codes: new Map(),
    access: new Map(),
    refresh: new Map(),
    reset() {
      for (const each of [state.clients, state.codes, state.access, state.refresh]) each.clear();
      state.clients.set(STATIC_CLIENT.id, STATIC_CLIENT);
    },
  };
  return state;
}

export const newToken = (kind: string): string =>
  `${kind}_${randomBytes(24).toString('base64url')}`;
