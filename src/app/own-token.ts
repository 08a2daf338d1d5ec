import { hash } from 'node:crypto';
import type { DoormanOptions } from '#calls/doorman.ts';
import { loadConfig, type LoadedConfig } from '#config/load.ts';
import { ensureOwnerToken, tokenVariables } from '#config/owner-token.ts';
import { CallError } from '#core/call-error.ts';
import { command } from '#core/messages/fixes.ts';
import type { Random } from '#core/random.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';
import { isLoopback } from '#transport/http/loopback.ts';
import { needsToken } from './bind-policy.ts';

/** Who is the owner over TCP. */
export type OwnerAccess = Pick<DoormanOptions, 'token' | 'anonymous'>;

/**
 * The token that makes a TCP caller the owner, and whether it can be left out. One that belongs to a client is none: it came
 * from the environment of whoever started the daemon, must not open more than it was made for, and must not take the place
 * of the one that the owner wrote down.
 */
export async function ownToken(
  loaded: LoadedConfig,
  host: string,
  clients: ClientStore,
  { log, random }: { readonly log: Log; readonly random: Random },
): Promise<OwnerAccess> {
  const { config } = loaded;
  const client = await clientOf(config.token, clients);
  if (client === undefined) return accessBy(config.token, config);
  log.warn('token_of_a_client', { client });
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
  const message = `EXAI_TOKEN is the token of the client ${name}; the daemon needs one of its own.`;
  return new CallError('validation', message, {
    field: 'token',
    fixes: [command('exai token rotate', 'generate one')],
  });
}
