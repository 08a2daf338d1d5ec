import type { IncomingHttpHeaders } from 'node:http';
import { CallError } from '#core/call-error.ts';

/**
 * Whether the page that asks may. Programs send no Origin; a browser always does, and cannot be told to lie. Only our own
 * pages get through, which have the Host of the request, and those that were named: another server of this machine may
 * serve anybody's pages. `null` is a page that hides where it is from.
 */
export function isOurOrigin(
  header: string | undefined,
  host: string | undefined,
  allowed: readonly string[],
): boolean {
  if (header === undefined) return true;
  const origin = header.toLowerCase();
  if (allowed.includes(origin)) return true;
  const own = host?.toLowerCase();
  return own !== undefined && [`http://${own}`, `https://${own}`].includes(origin);
}

/** Refuses pages that are neither ours nor named. */
export function checkOrigin(
  { origin, host }: IncomingHttpHeaders,
  allowed: readonly string[],
): void {
  if (isOurOrigin(origin, host, allowed)) return;
  throw new CallError('permission', 'Pages of this Origin may not ask EX-AI.', {
    field: 'origin',
    fix: 'Add it to door.origins if you trust every page there.',
  });
}
