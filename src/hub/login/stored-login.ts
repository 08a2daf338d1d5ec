import type { JsonObject } from '#core/json/json.ts';

/** The client that EX-AI is for an authorization server. */
export interface LoginClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
  /** In seconds since the epoch; 0: never. */
  readonly client_secret_expires_at?: number;
  /** Of a client that registered itself. */
  readonly registeredRedirectUrl?: string;
}

export interface LoginTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Of the wall clock; undefined: the server did not say. */
  readonly expiresAt?: number;
  readonly scope?: string;
}

/** What is stored of a login. It is used only for the address and the client that it was made for. */
export interface StoredLogin {
  readonly server: string;
  readonly url: string;
  readonly principal: string;
  /** `clientId` of the settings; empty: EX-AI registered itself. */
  readonly configuredClient: string;
  readonly issuer: string;
  readonly authorizationServerUrl: string;
  /** What of its metadata refreshing and revoking need; absent: it has none. */
  readonly metadata?: JsonObject;
  /** The resource that the tokens are for. */
  readonly resource?: string;
  /** What was asked for. */
  readonly requestedScope?: string;
  readonly client: LoginClient;
  /** Absent: they were refused for good, and the client is kept for the next login. */
  readonly tokens?: LoginTokens;
}

/** Where logins are stored: one file for each server and principal, readable by the user alone. */
export interface LoginFiles {
  /** Undefined: there is none, or it cannot be read as one. */
  read(server: string, principal: string): StoredLogin | undefined;
  /** Returns when the file is on the disk. */
  write(login: StoredLogin): void;
  remove(server: string, principal: string): void;
  /** All of a server. */
  list(server: string): readonly StoredLogin[];
}
