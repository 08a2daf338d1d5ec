import { variable, type Environment } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import { isUrl } from '#core/net/is-url.ts';
import { isLoopback } from '#transport/http/peer-address.ts';

/**
 * Throws if the URL is not a WebSocket URL, or is remote without TLS and insecure connections are
 * not allowed.
 */
export function checkWsUrl(url: string, insecure: 'allowed' | 'refused' = 'refused'): void {
  const parsed = isUrl(url) ? new URL(url) : undefined;
  if (!parsed || !/^wss?:$/.test(parsed.protocol) || parsed.hash !== '') throw notAWebSocket();
  const host = parsed.hostname.replace(/^\[(.+)\]$/, '$1');
  if (parsed.protocol === 'wss:' || isLoopback(host) || insecure === 'allowed') return;
  throw new CallError('permission', `The token and prompts would travel unencrypted to ${host}.`, {
    field: 'url',
    fix: `Use wss://. To send them unencrypted anyway: --insecure, or EXAI_INSECURE=true.`,
  });
}

/** The value of `--insecure` or EXAI_INSECURE. */
export function insecureOf(env: Environment, flag: true | undefined): 'allowed' | 'refused' {
  const value = variable(env, 'EXAI_INSECURE')?.trim().toLowerCase() ?? '';
  return flag || ['true', 'yes', 'on', '1'].includes(value) ? 'allowed' : 'refused';
}

function notAWebSocket(): CallError {
  return new CallError('validation', 'The url of the daemon must begin with ws:// or wss://.', {
    field: 'url',
    fix: 'exai stdio --url ws://127.0.0.1:8765',
  });
}
