/** What a login asks of an authorization server, by the functions of MCP's SDK. Loaded with the first login. */
import {
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  selectClientAuthMethod,
  startAuthorization,
  type AuthorizationServerMetadata,
  type OAuthTokens,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '#core/json/json.ts';
import {
  configuredClient,
  revocationEndpoint,
  type AuthorizationContext,
  type Discovered,
} from './discover-server.ts';
import { signingOf } from './client-signing.ts';
import { loginProblem, refusedLogin } from './login-errors.ts';
import { requireSafeAddress } from './login-http.ts';
import type { LoginClient, LoginTokens, StoredLogin } from './stored-login.ts';

/** More than servers take. A program that opens a browser gets it as an argument. */
const MAX_URL_CHARS = 16_384;

/** Where the user logs in, and the secret that proves afterwards that it was this login. */
export async function startLogin(
  { server, config }: AuthorizationContext,
  { metadata, authorizationServerUrl, resource }: Discovered,
  login: {
    readonly client: LoginClient;
    readonly redirectUrl: string;
    readonly state: string;
    readonly scope: string | undefined;
  },
): Promise<{ readonly url: string; readonly codeVerifier: string }> {
  const { client, redirectUrl, state, scope } = login;
  try {
    const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
      ...(metadata && { metadata }),
      clientInformation: client,
      redirectUrl,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource: resourceParameter(resource) }),
    });
    requireSafeAddress(server, authorizationUrl.href, config.url);
    if (authorizationUrl.href.length > MAX_URL_CHARS) {
      throw refusedLogin(
        server,
        `the address of its login page has more than ${MAX_URL_CHARS} characters`,
        { fix: `Name the scopes to ask for in mcpServers.${server}.scopes.` },
      );
    }
    return { url: authorizationUrl.href, codeVerifier };
  } catch (thrown) {
    throw loginProblem(server, thrown);
  }
}

/** As the metadata write it: an URL without a path would get one. */
function resourceParameter(resource: string): URL {
  return resource as unknown as URL;
}

/** What the tokens of a login are got and refreshed with. */
export type LoginTarget = Pick<
  StoredLogin,
  'authorizationServerUrl' | 'resource' | 'client' | 'requestedScope'
> & { readonly metadata?: AuthorizationServerMetadata | StoredLogin['metadata'] };

function targetOf({ server, config }: AuthorizationContext, target: LoginTarget) {
  const { metadata, resource, client } = target;
  const addClientAuthentication = signingOf(server, config);
  return {
    ...(metadata && { metadata: metadata as AuthorizationServerMetadata }),
    clientInformation: client,
    ...(resource !== undefined && { resource: resourceParameter(resource) }),
    ...(addClientAuthentication && { addClientAuthentication }),
  };
}

/** Checks who answered (RFC 9207), before anything else of the answer is looked at. */
export function requireIssuer(
  server: string,
  { metadata }: Pick<Discovered, 'metadata'>,
  issuer: string | undefined,
): void {
  if (!metadata) return;
  try {
    validateAuthorizationResponseIssuer({
      iss: issuer,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (thrown) {
    throw loginProblem(server, thrown);
  }
}

/** What of the metadata is stored with a login. */
export function keptMetadata(
  metadata: AuthorizationServerMetadata | undefined,
): JsonObject | undefined {
  if (!metadata) return undefined;
  const all = metadata as unknown as JsonObject;
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = all[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

const KEPT = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
];

export interface CodeAnswer {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUrl: string;
  /** `iss` of the answer. */
  readonly issuer: string | undefined;
}

export async function redeemCode(
  context: AuthorizationContext,
  target: LoginTarget,
  { code, codeVerifier, redirectUrl, issuer }: CodeAnswer,
): Promise<LoginTokens> {
  try {
    const tokens = await exchangeAuthorization(target.authorizationServerUrl, {
      ...targetOf(context, target),
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      ...(issuer !== undefined && { iss: issuer }),
      fetchFn: context.fetch,
    });
    return toTokens(context, tokens, target.requestedScope);
  } catch (thrown) {
    throw loginProblem(context.server, thrown);
  }
}

export async function refreshTokens(
  context: AuthorizationContext,
  target: LoginTarget,
  { refreshToken = '', scope }: LoginTokens,
): Promise<LoginTokens> {
  try {
    const tokens = await refreshAuthorization(target.authorizationServerUrl, {
      ...targetOf(context, target),
      refreshToken,
      fetchFn: context.fetch,
    });
    return toTokens(context, tokens, scope);
  } catch (thrown) {
    throw loginProblem(context.server, thrown);
  }
}

/** A token for EX-AI itself, without a user. */
export async function ownTokens(
  context: AuthorizationContext,
  target: LoginTarget,
): Promise<LoginTokens> {
  const { server, config, fetch } = context;
  const { metadata, requestedScope: scope, resource } = target;
  const addClientAuthentication = signingOf(server, config);
  const named = (metadata as AuthorizationServerMetadata | undefined)?.issuer;
  const issuer = named ?? target.authorizationServerUrl;
  try {
    const tokens = await fetchToken(
      {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'] },
        clientInformation: () => ({
          ...configuredClient(config),
          issuer,
        }),
        prepareTokenRequest: (wanted) =>
          new URLSearchParams({
            grant_type: 'client_credentials',
            ...(wanted !== undefined && { scope: wanted }),
          }),
        ...(addClientAuthentication && { addClientAuthentication }),
        tokens: () => undefined,
        saveTokens: () => undefined,
        redirectToAuthorization: () => undefined,
        saveCodeVerifier: () => undefined,
        codeVerifier: () => '',
      },
      target.authorizationServerUrl,
      {
        ...(metadata && { metadata: metadata as AuthorizationServerMetadata }),
        ...(resource !== undefined && { resource: resourceParameter(resource) }),
        ...(scope !== undefined && { scope }),
        fetchFn: fetch,
      },
    );
    return toTokens(context, tokens, scope);
  } catch (thrown) {
    throw loginProblem(server, thrown);
  }
}

/** Revokes a token (RFC 7009); false: the authorization server cannot, or refuses. */
export async function revokeToken(
  context: AuthorizationContext,
  { metadata = {}, client }: LoginTarget,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<boolean> {
  const address = revocationEndpoint(metadata);
  const { token_endpoint_auth_methods_supported: methods } =
    metadata as Partial<AuthorizationServerMetadata>;
  if (typeof address !== 'string') return false;
  requireSafeAddress(context.server, address, context.config.url);
  const form = new URLSearchParams({ token, token_type_hint: hint });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  const { client_id, client_secret = '' } = client;
  const signing = signingOf(context.server, context.config);
  const method = selectClientAuthMethod(client, Array.isArray(methods) ? methods : []);
  if (signing) await signing(headers, form, address, metadata as AuthorizationServerMetadata);
  else if (method === 'client_secret_basic') {
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    );
  } else {
    form.set('client_id', client_id);
    if (method === 'client_secret_post') form.set('client_secret', client_secret);
  }
  const response = await context.fetch(address, { method: 'POST', headers, body: form });
  return response.ok;
}

function toTokens(
  { server, nowMs }: AuthorizationContext,
  tokens: OAuthTokens,
  asked: string | undefined,
): LoginTokens {
  const { access_token, refresh_token, expires_in, scope = asked, token_type } = tokens;
  if (token_type.toLowerCase() !== 'bearer') {
    throw refusedLogin(
      server,
      'the authorization server gives a token of a type other than Bearer',
    );
  }
  if (!VISIBLE.test(access_token)) {
    throw refusedLogin(server, 'the authorization server gives a token that no header can carry');
  }
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: nowMs + lifetimeOf(expires_in) * 1_000 }),
    ...(scope !== undefined && { scope }),
  };
}

const MAX_LIFETIME_S = 10 * 365 * 86_400;

/** Any number may come; that of a day in a million years is none. */
function lifetimeOf(seconds: number): number {
  return Math.min(Math.max(0, seconds), MAX_LIFETIME_S);
}

const VISIBLE = /^[\x21-\x7E]{1,65536}$/;
