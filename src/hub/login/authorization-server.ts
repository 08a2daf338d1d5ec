/** What a login asks of an authorization server, by the functions of MCP's SDK. Loaded with the first login. */
import {
  checkResourceAllowed,
  createPrivateKeyJwtAuth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  selectClientAuthMethod,
  startAuthorization,
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  type OAuthProtectedResourceMetadata,
  type OAuthTokens,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { JsonObject } from '#core/json/json.ts';
import { joinScopes, type Challenge } from './challenge.ts';
import { isMissing, loginProblem, refusedLogin } from './login-errors.ts';
import { requireSafeAddress, type LoginFetch } from './login-http.ts';
import type { LoginClient, LoginTokens, StoredLogin } from './stored-login.ts';

/** A server, and the authorization server that it names. */
export interface Discovered {
  readonly authorizationServerUrl: string;
  readonly issuer: string;
  readonly metadata?: AuthorizationServerMetadata;
  readonly resource?: string;
  /** The scopes that the server names, where its refusal names none. */
  readonly supportedScope?: string;
}

export interface AuthorizationContext {
  readonly server: string;
  readonly config: UpstreamConfig;
  readonly fetch: LoginFetch;
  /** Of the wall clock. */
  readonly nowMs: number;
}

const S256 = 'S256';
const OFFLINE = 'offline_access';
const CLIENT_NAME = 'EX-AI';

/** Finds the authorization server, in the order of MCP's specification. */
export async function discover(
  context: AuthorizationContext,
  challenge: Challenge | undefined,
): Promise<Discovered> {
  const { server, config } = context;
  try {
    const resource = await readResourceMetadata(context, challenge);
    if (resource) requireOwnResource(server, config.url, resource.resource);
    const named = resource?.authorization_servers?.[0];
    if (resource && named === undefined) {
      throw refusedLogin(server, 'the metadata of the server names no authorization server');
    }
    // Before June 2025, the server was its own authorization server.
    const authorizationServerUrl = named ?? new URL('/', config.url).href;
    requireSafeAddress(server, authorizationServerUrl, config.url);
    const metadata = await discoverAuthorizationServerMetadata(authorizationServerUrl, {
      fetchFn: context.fetch,
    });
    if (metadata) checkMetadata(context, metadata);
    else if (resource) throw refusedLogin(server, 'the authorization server has no metadata');
    const supportedScope = joinScopes(resource?.scopes_supported?.join(' '));
    return {
      authorizationServerUrl,
      issuer: metadata?.issuer ?? authorizationServerUrl,
      ...(metadata && { metadata }),
      ...(resource && { resource: resource.resource }),
      ...(supportedScope !== undefined && { supportedScope }),
    };
  } catch (thrown) {
    throw loginProblem(server, thrown);
  }
}

/** Undefined: the server has none. */
async function readResourceMetadata(
  { config, fetch }: AuthorizationContext,
  challenge: Challenge | undefined,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { resourceMetadata } = challenge ?? {};
  try {
    return await discoverOAuthProtectedResourceMetadata(
      config.url,
      { ...(resourceMetadata !== undefined && { resourceMetadataUrl: resourceMetadata }) },
      fetch,
    );
  } catch (thrown) {
    if (isMissing(thrown) && resourceMetadata === undefined) return undefined;
    throw thrown;
  }
}

/** A token is for this server: another one could use it, too. */
function requireOwnResource(server: string, url: string, resource: string): void {
  const requestedResource = resourceUrlFromServerUrl(url);
  if (checkResourceAllowed({ requestedResource, configuredResource: resource })) return;
  throw refusedLogin(server, 'the metadata of the server is for another address');
}

function checkMetadata(
  { server, config }: AuthorizationContext,
  metadata: AuthorizationServerMetadata,
): void {
  const addresses = [
    metadata.token_endpoint,
    metadata.authorization_endpoint,
    metadata.registration_endpoint,
    revocationEndpoint(metadata),
  ];
  for (const address of addresses)
    if (typeof address === 'string') requireSafeAddress(server, address, config.url);
  const isBrowserLogin = config.login !== 'client_credentials';
  if (isBrowserLogin && !metadata.code_challenge_methods_supported?.includes(S256)) {
    throw refusedLogin(server, 'the authorization server does not support PKCE with S256');
  }
}

/** RFC 8414 has it, OpenID Connect has not. */
function revocationEndpoint(metadata: object): unknown {
  return (metadata as JsonObject)['revocation_endpoint'];
}

/** The scopes to ask for; undefined: those that the authorization server gives by itself. */
export function scopeOf(
  { config }: Pick<AuthorizationContext, 'config'>,
  { metadata, supportedScope }: Discovered,
  challenged: string | undefined,
): string | undefined {
  const configured = joinScopes(config.scopes?.join(' '));
  const scope =
    configured === undefined ? (challenged ?? supportedScope) : joinScopes(configured, challenged);
  const isOffered = metadata?.scopes_supported?.includes(OFFLINE) === true;
  const isBrowserLogin = config.login !== 'client_credentials';
  // Without it some give no token to refresh with.
  return scope !== undefined && isOffered && isBrowserLogin ? joinScopes(scope, OFFLINE) : scope;
}

interface ClientOptions {
  readonly redirectUrl: string;
  /** A document of the user that describes the client; empty: there is none. */
  readonly clientMetadataUrl: string;
  /** The client of an earlier login. */
  readonly known: StoredLogin | undefined;
  readonly scope: string | undefined;
}

/** The client for an authorization server: that of the settings, a document, an earlier one, or a new one. */
export async function clientFor(
  context: AuthorizationContext,
  discovered: Discovered,
  { redirectUrl, clientMetadataUrl, known, scope }: ClientOptions,
): Promise<LoginClient> {
  const { server, config, fetch, nowMs } = context;
  const { metadata, issuer, authorizationServerUrl } = discovered;
  if (config.clientId) return configuredClient(config);
  if (clientMetadataUrl !== '' && metadata?.client_id_metadata_document_supported === true)
    return { client_id: clientMetadataUrl, token_endpoint_auth_method: 'none' };
  const earlier =
    known?.issuer === issuer && known.configuredClient === '' ? known.client : undefined;
  const expiresAt = earlier?.client_secret_expires_at ?? 0;
  const isValid = expiresAt === 0 || expiresAt * 1_000 > nowMs;
  if (earlier?.registeredRedirectUrl === redirectUrl && isValid) return earlier;
  if (metadata && metadata.registration_endpoint === undefined) {
    throw refusedLogin(server, 'the authorization server does not register clients by itself', {
      fix: `Register EX-AI there with the redirect URL ${redirectUrl}, then: exai config set mcpServers.${server}.clientId ID`,
    });
  }
  try {
    const registered = await registerClient(authorizationServerUrl, {
      ...(metadata && { metadata }),
      clientMetadata: {
        client_name: CLIENT_NAME,
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: authMethodOf(metadata),
        application_type: 'native',
      },
      ...(scope !== undefined && { scope }),
      fetchFn: fetch,
    });
    const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } =
      registered;
    return {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
      ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
      registeredRedirectUrl: redirectUrl,
    };
  } catch (thrown) {
    throw loginProblem(server, thrown);
  }
}

/** Without a secret where that is possible: what is on a user's machine is not secret. */
function authMethodOf(metadata: AuthorizationServerMetadata | undefined): string {
  const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
  const known = ['none', 'client_secret_basic', 'client_secret_post'];
  return (
    known.find((method) => supported.includes(method)) ??
    (metadata ? 'client_secret_basic' : 'none')
  );
}

export function configuredClient({
  clientId = '',
  clientSecret = '',
}: UpstreamConfig): LoginClient {
  return { client_id: clientId, ...(clientSecret !== '' && { client_secret: clientSecret }) };
}

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

function targetOf({ config }: AuthorizationContext, target: LoginTarget) {
  const { metadata, resource, client } = target;
  const addClientAuthentication = signingOf(config);
  return {
    ...(metadata && { metadata: metadata as AuthorizationServerMetadata }),
    clientInformation: client,
    ...(resource !== undefined && { resource: resourceParameter(resource) }),
    ...(addClientAuthentication && { addClientAuthentication }),
  };
}

/** How a client with a key of its own authenticates. */
function signingOf({
  clientId = '',
  clientKey = '',
}: UpstreamConfig): AddClientAuthentication | undefined {
  if (clientKey === '') return undefined;
  const alg = clientKey.includes('RSA') ? 'RS256' : keyAlgorithm(clientKey);
  return createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    privateKey: clientKey,
    alg,
  });
}

/** RSA keys are much longer than those of elliptic curves. */
function keyAlgorithm(pem: string): string {
  return pem.length > 600 ? 'RS256' : 'ES256';
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

export interface Redeemed {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUrl: string;
  /** `iss` of the answer. */
  readonly issuer: string | undefined;
}

export async function redeemCode(
  context: AuthorizationContext,
  target: LoginTarget,
  { code, codeVerifier, redirectUrl, issuer }: Redeemed,
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
  const addClientAuthentication = signingOf(config);
  try {
    const tokens = await fetchToken(
      {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'] },
        clientInformation: () => ({
          ...configuredClient(config),
          issuer: String(metadata?.issuer ?? target.authorizationServerUrl),
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
  const signing = signingOf(context.config);
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
    ...(expires_in !== undefined && { expiresAt: nowMs + expires_in * 1_000 }),
    ...(scope !== undefined && { scope }),
  };
}

const VISIBLE = /^[\x21-\x7E]{1,65536}$/;
