import { createHash } from 'node:crypto';
import { isObject } from '../is-object.ts';
import type { Ask, Reply } from '../vendor.ts';
import { hasFault } from './faults.ts';
import { issuerOf, SCOPES, serverUrl } from './metadata.ts';
import { newToken, STATIC_CLIENT, type Grant, type OAuthClient, type OAuthState } from './state.ts';
import type { OAuthSwitches } from './switches.ts';

interface Context {
  readonly state: OAuthState;
  readonly switches: OAuthSwitches;
  readonly ask: Ask;
  readonly reply: Reply;
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//;

/** The endpoints below `/oauth/as`. Every user agrees at once. */
export async function serveAuthorization(path: string, context: Context): Promise<void> {
  const { ask, reply } = context;
  switch (`${ask.method} ${path}`) {
    case 'GET /authorize':
      return authorize(context);
    case 'POST /token':
      return giveToken(context);
    case 'POST /register':
      return register(context);
    case 'POST /revoke':
      return revoke(context);
    default:
      return reply.raw(404, 'Not found\n', { 'content-type': 'text/plain' });
  }
}

function register({ state, switches, ask, reply }: Context): Promise<void> {
  if (!switches.registration || hasFault(ask, 'noregistration'))
    return refuse(reply, 403, 'invalid_client_metadata');
  const { json } = ask;
  const wanted = isObject(json) ? json : {};
  const { redirect_uris: redirects, token_endpoint_auth_method: method } = wanted;
  if (!Array.isArray(redirects) || redirects.length === 0)
    return refuse(reply, 400, 'invalid_redirect_uri');
  const isPublic = method === 'none';
  const client: OAuthClient = {
    id: newToken('client'),
    ...(!isPublic && { secret: newToken('secret') }),
    redirectUris: redirects.map(String),
    method: typeof method === 'string' ? method : 'client_secret_basic',
  };
  state.clients.set(client.id, client);
  return reply.json(201, {
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    client_id_issued_at: Math.floor(ask.now() / 1000),
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.method,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
}

/** A client by its id; that of a document is known by its address alone. */
function findClient({ state, switches }: Context, id: string): OAuthClient | undefined {
  if (switches.documents && id.startsWith('https://'))
    return { id, redirectUris: [], method: 'none' };
  return state.clients.get(id);
}

function isKnownRedirect(
  { switches }: Context,
  { redirectUris, id }: OAuthClient,
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true;
  const isLoopback = LOOPBACK.test(uri);
  if (id === STATIC_CLIENT.id || id.startsWith('https://')) return isLoopback;
  const withoutPort = (text: string): string => text.replace(/:\d+\//, '/');
  return (
    switches.anyPort &&
    isLoopback &&
    redirectUris.some((known) => withoutPort(known) === withoutPort(uri))
  );
}

function authorize(context: Context): Promise<void> {
  const { state, ask, reply } = context;
  const wanted = (name: string): string => ask.query.get(name) ?? '';
  const client = findClient(context, wanted('client_id'));
  const redirectUri = wanted('redirect_uri');
  // Nothing is sent to an address that is not the client's.
  if (!client || !isKnownRedirect(context, client, redirectUri))
    return reply.raw(400, 'Unknown client or redirect_uri\n', { 'content-type': 'text/plain' });
  const target = new URL(redirectUri);
  const answer = (params: Readonly<Record<string, string>>): Promise<void> => {
    const issuer = hasFault(ask, 'issuer') ? 'https://other.example' : issuerOf(ask);
    const all = { ...params, state: wanted('state'), iss: issuer };
    for (const [name, value] of Object.entries(all)) target.searchParams.set(name, value);
    return reply.raw(302, '', { location: target.href });
  };
  if (hasFault(ask, 'denied')) return answer({ error: 'access_denied' });
  if (wanted('response_type') !== 'code') return answer({ error: 'unsupported_response_type' });
  if (wanted('code_challenge_method') !== 'S256' || wanted('code_challenge') === '')
    return answer({ error: 'invalid_request' });
  if (wanted('resource') !== serverUrl(ask)) return answer({ error: 'invalid_target' });
  const scope = wanted('scope') || SCOPES[0];
  if (!scope.split(' ').every((each) => (SCOPES as readonly string[]).includes(each)))
    return answer({ error: 'invalid_scope' });
  const code = newToken('code');
  state.codes.set(code, {
    clientId: client.id,
    scope,
    resource: wanted('resource'),
    redirectUri,
    challenge: wanted('code_challenge'),
  });
  return answer({ code });
}

/** The client that a request to the token endpoint proves to be; undefined: it proves nothing. */
function authenticated(context: Context, form: URLSearchParams): OAuthClient | undefined {
  const basic = /^Basic (.+)$/.exec(context.ask.headers['authorization'] ?? '')?.[1];
  const [id = '', secret] =
    basic === undefined
      ? [form.get('client_id') ?? '', form.get('client_secret') ?? undefined]
      : Buffer.from(basic, 'base64').toString('utf8').split(':', 2);
  const client = findClient(context, id);
  return client && client.secret === secret ? client : undefined;
}

async function giveToken(context: Context): Promise<void> {
  const { state, switches, ask, reply } = context;
  const form = new URLSearchParams(ask.body.toString('utf8'));
  const client = authenticated(context, form);
  if (!client) return refuse(reply, 401, 'invalid_client');
  const isOurs = (form.get('resource') ?? '') === serverUrl(ask);
  switch (form.get('grant_type') ?? '') {
    case 'authorization_code': {
      const code = form.get('code') ?? '';
      const grant = state.codes.get(code);
      // Whatever comes of it, it was used.
      state.codes.delete(code);
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isValid =
        grant?.clientId === client.id &&
        grant.redirectUri === form.get('redirect_uri') &&
        grant.challenge === proof;
      if (!grant || !isValid) return refuse(reply, 400, 'invalid_grant');
      if (!isOurs) return refuse(reply, 400, 'invalid_target');
      return issue(context, grant, newRefreshToken(state, grant));
    }
    case 'refresh_token': {
      const token = form.get('refresh_token') ?? '';
      const grant = state.refresh.get(token);
      if (grant?.clientId !== client.id || hasFault(ask, 'revoked'))
        return refuse(reply, 400, 'invalid_grant');
      if (!switches.rotation) return issue(context, grant, undefined);
      state.refresh.delete(token);
      return issue(context, grant, newRefreshToken(state, grant));
    }
    case 'client_credentials': {
      if (client.secret === undefined) return refuse(reply, 400, 'unauthorized_client');
      const scope = form.get('scope') ?? SCOPES[0];
      return issue(context, { clientId: client.id, scope, resource: serverUrl(ask) }, undefined);
    }
    default:
      return refuse(reply, 400, 'unsupported_grant_type');
  }
}

function newRefreshToken({ refresh }: OAuthState, { clientId, scope, resource }: Grant): string {
  const token = newToken('refresh');
  refresh.set(token, { clientId, scope, resource });
  return token;
}

function issue(
  { state, switches, ask, reply }: Context,
  { clientId, scope, resource }: Grant,
  refreshToken: string | undefined,
): Promise<void> {
  const token = newToken('access');
  const expiresAtMs = ask.now() + switches.tokenSeconds * 1000;
  const audience = hasFault(ask, 'audience') ? 'https://other.example/mcp' : resource;
  state.access.set(token, { clientId, scope, resource: audience, expiresAtMs });
  return reply.json(
    200,
    {
      access_token: token,
      token_type: 'Bearer',
      expires_in: switches.tokenSeconds,
      scope,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    },
    { 'cache-control': 'no-store' },
  );
}

function revoke(context: Context): Promise<void> {
  const { state, ask, reply } = context;
  const form = new URLSearchParams(ask.body.toString('utf8'));
  if (!authenticated(context, form)) return refuse(reply, 401, 'invalid_client');
  const token = form.get('token') ?? '';
  state.access.delete(token);
  state.refresh.delete(token);
  return reply.raw(200, '', {});
}

function refuse(reply: Reply, status: number, error: string): Promise<void> {
  return reply.json(status, { error, error_description: `${error} (emulated)` });
}
