import { hash } from 'node:crypto';
import { loadConfig, type LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { ClientStore } from '#core/stores/clients.ts';
import type { Log } from '#core/telemetry.ts';
import { isLoopback } from '#transport/http/loopback.ts';

const VARIABLES = ['EXAI_TOKEN', 'EXAI_WS_TOKEN'];

/**
 * The daemon's own token. One that belongs to a client is none: it came from the environment of whoever started the
 * daemon, must not open more than it was made for, and must not take the place of the one that the owner wrote down.
 */
export async function ownToken(
  loaded: LoadedConfig,
  host: string,
  clients: ClientStore,
  log: Log,
): Promise<string> {
  const { config } = loaded;
  const client = await clientOf(config.token, clients);
  if (client === undefined) return config.token;
  log.warn('token_of_a_client', { client });
  const written = loadConfig({ ...loaded.sources, env: withoutToken(loaded) }).config.token;
  const isOwn = written !== '' && (await clientOf(written, clients)) === undefined;
  if (isOwn) return written;
  if (!isLoopback(host) || config.auth.requireToken) throw notItsOwn(client);
  return '';
}

async function clientOf(token: string, clients: ClientStore): Promise<string | undefined> {
  return token === '' ? undefined : (await clients.byToken(hash('sha256', token)))?.name;
}

function withoutToken({ sources }: LoadedConfig): LoadedConfig['sources']['env'] {
  const entries = Object.entries(sources.env).filter(([name]) => !VARIABLES.includes(name));
  return Object.fromEntries(entries);
}

function notItsOwn(name: string): CallError {
  const message = `EXAI_TOKEN is the token of the client ${name}; the daemon needs one of its own.`;
  return new CallError('validation', message, {
    field: 'token',
    fix: 'Set EXAI_TOKEN to another long random text, such as the output of: openssl rand -hex 32',
  });
}
