/** Finds the authorization server of a server, and the client for it. Loaded with the first login. */
import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  registerClient,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { JsonObject } from '#core/json/json.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import { joinScopes, type Challenge } from './challenge.ts';
import { isMissing, loginProblem, movedLogin, refusedLogin } from './login-errors.ts';
import { requireSafeAddress, type LoginFetch } from './login-http.ts';
import type { LoginClient, StoredLogin } from './stored-login.ts';

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
export function revocationEndpoint(metadata: object): unknown {
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
  if (config.clientId) {
    requireKnownIssuer(server, known, discovered);
    return configuredClient(config);
  }
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
        application_type: isLoopbackHost(new URL(redirectUrl).hostname) ? 'native' : 'web',
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

/**
 * The secret of a client of the settings goes to the authorization server that it was first used at,
 * and to none that the server names later.
 */
export function requireKnownIssuer(
  server: string,
  known: StoredLogin | undefined,
  { issuer }: Pick<Discovered, 'issuer'>,
): void {
  if (known && known.configuredClient !== '' && known.issuer !== issuer) throw movedLogin(server);
}

export function configuredClient({
  clientId = '',
  clientSecret = '',
}: UpstreamConfig): LoginClient {
  return { client_id: clientId, ...(clientSecret !== '' && { client_secret: clientSecret }) };
}
