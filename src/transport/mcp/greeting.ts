import type { Caller } from '#core/call.ts';
import { oneLine } from '#core/one-line.ts';
import type { Log } from '#core/telemetry.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';

const MAX_CHARS = 64;

/** So that its owner can see which programs reach the daemon, and how. */
export function logGreeting(
  log: Log,
  info: unknown,
  about: { readonly caller: Caller; readonly door: string; readonly protocol: unknown },
): void {
  const { name, version }: Members = isObject(info) ? info : {};
  log.info('client_greeted', {
    client: words(name),
    client_version: words(version),
    protocol: words(about.protocol),
    door: about.door,
    principal: about.caller.principal,
  });
}

function words(value: unknown): string {
  return typeof value === 'string' ? oneLine(value, MAX_CHARS) : '';
}
