import { CallError } from '#core/call-error.ts';
import { isUrl } from '#core/is-url.ts';

/** Refuses what is not the address of a WebSocket. */
export function checkWsUrl(url: string): void {
  const parsed = isUrl(url) ? new URL(url) : undefined;
  if (parsed && /^wss?:$/.test(parsed.protocol) && parsed.hash === '') return;
  throw new CallError('validation', 'The url of the daemon must begin with ws:// or wss://.', {
    field: 'url',
    fix: 'exai stdio --url ws://127.0.0.1:8765',
  });
}
