import { hash } from 'node:crypto';
import type { AuthenticatorOptions } from '#auth/authenticator.ts';
import { loadConfig, type LoadedConfig } from '#config/load/load.ts';
import { ensureOwnerToken, tokenVariables } from '#config/secrets/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { Random } from '#core/random.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import { needsToken } from '../listeners/bind-policy.ts';

/** How a TCP caller is authenticated as the owner. */
export type OwnerAccess = Pick<AuthenticatorOptions, 'token' | 'anonymous'>;

/**
 * The owner's token for TCP, and whether it can be omitted. A client's token is never the owner's,
 * even if it is set in the environment that started the daemon: it must not grant more than it was
 * created for, and must not replace the token in the owner's `.env`.
 */
export async function resolveOwnerToken(
  loaded: LoadedConfig,
  host: string,
  clients: ClientStore,
  { log, random }: { readonly log: Log; readonly random: Random },
): Promise<OwnerAccess> {
  const { config } = loaded;
  const client = await clientOf(config.token, clients);
  if (client === undefined) return accessBy(config.token, config);
  log.warn('client_token_used_as_owner', { client });
  const stored = loadConfig({ ...loaded.sources, env: withoutToken(loaded) });
  const { token } = ensureOwnerToken(stored, random).config;
  if (token !== '' && (await clientOf(token, clients)) === undefined) {
    return accessBy(token, config);
  }
  if (!isLoopback(host) || config.auth.requireToken) throw notItsOwn(client);
  return accessBy('', config);
}

function accessBy(token: string, config: LoadedConfig['config']): OwnerAccess {
  return { token, anonymous: needsToken({ ...config, token }) ? 'refused' : 'allowed' };
}

async function clientOf(token: string, clients: ClientStore): Promise<string | undefined> {
  return token === '' ? undefined : (await clients.byToken(hash('sha256', token)))?.name;
}

function withoutToken({ sources }: LoadedConfig): LoadedConfig['sources']['env'] {
  const names = tokenVariables();
  return Object.fromEntries(Object.entries(sources.env).filter(([name]) => !names.includes(name)));
}

function notItsOwn(name: string): CallError {
  const message = `EXAI_TOKEN is the token of the client ${name}; the daemon needs its own token.`;
  return new CallError('validation', message, {
    field: 'token',
    fixes: [commandFix('exai token rotate', 'generate one')],
  });
}
