import type { IncomingHttpHeaders } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';

const MAX_SHOWN_CHARS = 100;

/**
 * Whether the page that asks may. Programs send no Origin; a browser does with all that a page could read the answer to or
 * do something with, and cannot be told to lie. Only our own pages get through, which have the Host of the request, and
 * those that were named: another server of this machine may serve anybody's pages. `null` is a page that hides where it
 * is from.
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
  const shown = oneLine(origin ?? '', MAX_SHOWN_CHARS);
  throw new CallError('permission', `Pages of the Origin ${shown} may not ask EX-AI.`, {
    field: 'origin',
    fixes: [
      fix('extend_setting', {
        setting: 'door.origins',
        entry: 'it',
        condition: 'if you trust every page there',
      }),
    ],
  });
}

/**
 * Refuses what pages of others have a browser fetch without an Origin, such as the source of an image: they would not see
 * the answer, but each open one takes a place from somebody.
 */
export function checkSite(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  // With an Origin that one decides; `none` is a person at the address bar.
  if (headers.origin !== undefined || (site !== 'cross-site' && site !== 'same-site')) return;
  throw new CallError('permission', 'Pages of other sites may not load this.', {
    field: 'sec-fetch-site',
    fix: 'Ask with fetch() in its mode "cors", from a page whose Origin is in door.origins.',
  });
}
