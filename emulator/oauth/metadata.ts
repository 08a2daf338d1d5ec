import type { Ask, Reply } from '../vendor.ts';
import { hasFault } from './faults.ts';
import type { OAuthSwitches } from './switches.ts';

export const PREFIX = '/oauth';
export const MCP_PATH = '/mcp';
export const AS_PATH = '/as';
export const SCOPES = ['notes:read', 'notes:write'] as const;

export const originOf = (ask: Pick<Ask, 'headers'>): string => `http://${ask.headers['host']}`;
export const serverUrl = (ask: Ask): string => `${originOf(ask)}${PREFIX}${MCP_PATH}`;
export const issuerOf = (ask: Ask): string => `${originOf(ask)}${PREFIX}${AS_PATH}`;
export const metadataUrl = (ask: Ask): string =>
  `${originOf(ask)}/.well-known/oauth-protected-resource${PREFIX}${MCP_PATH}`;

const HUGE_BYTES = 100 * 1024 * 1024;
const SENT_AT_ONCE = 'x'.repeat(1024 * 1024);

/** The metadata at the root, with the paths inserted. */
export async function serveWellKnown(
  ask: Ask,
  reply: Reply,
  switches: OAuthSwitches,
): Promise<void> {
  if (hasFault(ask, 'garbage')) {
    return reply.raw(200, '<!doctype html><p>Welcome</p>', { 'content-type': 'text/html' });
  }
  if (hasFault(ask, 'loop')) {
    return reply.raw(302, '', { location: `${originOf(ask)}/.well-known${ask.path}` });
  }
  if (hasFault(ask, 'huge')) return sendHuge(reply);
  switch (ask.path) {
    case `/oauth-protected-resource${PREFIX}${MCP_PATH}`:
      return reply.json(200, resourceMetadata(ask));
    case `/oauth-authorization-server${PREFIX}${AS_PATH}`:
      return reply.json(200, serverMetadata(ask, switches));
    default:
      return reply.raw(404, 'Not found\n', { 'content-type': 'text/plain' });
  }
}

const MANY_SCOPES = Array.from({ length: 10_000 }, (_, index) => `scope:${index}`);

function sendHuge(reply: Reply): Promise<void> {
  const text = `{"resource":"${SENT_AT_ONCE.repeat(HUGE_BYTES / SENT_AT_ONCE.length)}"}`;
  return reply.raw(200, text, { 'content-type': 'application/json' });
}

const resourceMetadata = (ask: Ask): object => ({
  resource: hasFault(ask, 'resource') ? 'https://other.example/mcp' : serverUrl(ask),
  authorization_servers: [
    hasFault(ask, 'private') ? 'http://169.254.169.254/latest' : issuerOf(ask),
  ],
  scopes_supported: hasFault(ask, 'manyscopes') ? MANY_SCOPES : [SCOPES[0]],
  bearer_methods_supported: ['header'],
});

function serverMetadata(ask: Ask, { registration, documents }: OAuthSwitches): object {
  const issuer = issuerOf(ask);
  return {
    issuer: hasFault(ask, 'metadataissuer') ? 'https://other.example' : issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: hasFault(ask, 'plain') ? 'http://tokens.example/token' : `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    ...(registration && { registration_endpoint: `${issuer}/register` }),
    ...(documents && { client_id_metadata_document_supported: true }),
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    ...(!hasFault(ask, 'nos256') && { code_challenge_methods_supported: ['S256'] }),
    authorization_response_iss_parameter_supported: true,
  };
}
