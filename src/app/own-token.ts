import { hash } from 'node:crypto';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';
import { isLoopback } from '#transport/http/loopback.ts';

/**
 * The daemon's own token. One that belongs to a client is none: it came from the environment of whoever started the
 * daemon, and must not open more than it was made for.
 */
export async function ownToken(
  { config }: Pick<LoadedConfig, 'config'>,
  host: string,
  clients: ClientStore,
  log: Log,
): Promise<string> {
  const { token } = config;
  const client = token === '' ? undefined : await clients.byToken(hash('sha256', token));
  if (!client) return token;
  if (!isLoopback(host) || config.auth.requireToken) throw notItsOwn(client.name);
  log.warn('token_of_a_client', { client: client.name });
  return '';
}

function notItsOwn(name: string): CallError {
  const message = `EXAI_TOKEN is the token of the client ${name}; the daemon needs one of its own.`;
  return new CallError('validation', message, {
    field: 'token',
    fix: 'Set EXAI_TOKEN to another long random text, such as the output of: openssl rand -hex 32',
  });
}
