import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import { isLoopback } from '#transport/http/loopback.ts';

/** Anybody on the network may guess, as often as they like. */
const MIN_TOKEN_CHARS = 16;

const NEED_TOKEN = 'Set EXAI_TOKEN to a long random text';

/** The address to listen on, once it is clear that nobody uninvited can use it. */
export function listeningHost({
  host,
  token,
  auth,
}: Pick<Config, 'host' | 'token'> & { auth: Pick<Config['auth'], 'requireToken'> }): string {
  const address = bareAddress(host);
  if (isLoopback(address)) {
    if (token === '' && auth.requireToken) throw tokenRequired();
  } else {
    if (token === '') throw tokenMissing(host);
    if (token.length < MIN_TOKEN_CHARS) throw tokenTooShort(host);
  }
  return address;
}

/** `::1` of `[::1]`: an address as a socket takes it. */
export function bareAddress(host: string): string {
  return host.replace(/^\[(.+)\]$/, '$1');
}

/** Whether a text will do as the new token of a daemon that listens on this host. */
export function checkOwnToken(token: string, host: string): void {
  if (!/^[!-~]{1,8192}$/.test(token)) {
    throw new CallError('validation', 'The new token must be of plain characters without spaces.', {
      field: 'new',
      fix: 'Take a long random text, such as the output of: openssl rand -hex 32',
    });
  }
  if (!isLoopback(host) && token.length < MIN_TOKEN_CHARS) throw tokenTooShort(host);
}

function tokenRequired(): CallError {
  return new CallError('not_configured', 'auth.requireToken is on, but there is no token.', {
    field: 'token',
    fix: `${NEED_TOKEN}, or turn auth.requireToken off.`,
  });
}

function tokenMissing(host: string): CallError {
  return new CallError(
    'not_configured',
    `Listening on ${host} lets other machines in, so it needs a token.`,
    { field: 'token', fix: `${NEED_TOKEN}, or listen on 127.0.0.1.` },
  );
}

function tokenTooShort(host: string): CallError {
  return new CallError(
    'validation',
    `Listening on ${host} lets other machines in, so the token must have at least ${MIN_TOKEN_CHARS} characters.`,
    { field: 'token', fix: `${NEED_TOKEN}, such as the output of: openssl rand -hex 32` },
  );
}
