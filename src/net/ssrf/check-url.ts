import { isIP } from 'node:net';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { isUrl } from '#core/net/is-url.ts';
import { hostAndPort, readTarget, type Destination } from '../target.ts';
import { checkAddress } from './check-address.ts';

export const ALLOW_FIX = fix('extend_setting', {
  setting: 'network.allowPrivate',
  entry: 'its host:port',
  condition: 'if it is yours',
});

type UrlVerdict =
  /** Public as far as the URL shows; the addresses of a name are checked when it is resolved. */
  | { readonly verdict: 'public' }
  /** Allowed by the user's settings. */
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly because: string; readonly fix: Fix | string };

const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
/** Names of this machine, this network or the cloud around it. */
const LOCAL_NAMES =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|arpa)$/;

/** Checks whether an untrusted URL may be requested, before its name is resolved. */
export function checkUrl(
  url: string | URL,
  { allowPrivate = [] }: { readonly allowPrivate?: readonly string[] } = {},
): UrlVerdict {
  const text = String(url);
  if (!isUrl(text)) return refused('This is not a URL.', 'Give a whole address.');
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return refused('Only http:// and https:// addresses are read.', 'Give such an address.');
  }
  if (username !== '' || password !== '') {
    return refused('An address with a user or password in it is not read.', 'Leave them out.');
  }
  const target = readTarget(text);
  if (isAllowed(target, allowPrivate)) return { verdict: 'allowed' };
  const { host, port, label } = target;
  const because = whyNotPublic(host);
  if (because !== undefined) return refused(`${label} is ${because}.`, ALLOW_FIX);
  if (!PORTS.has(port)) {
    return refused(
      `${label} is on port ${port}; only ${[...PORTS].join(', ')} are read.`,
      ALLOW_FIX,
    );
  }
  return { verdict: 'public' };
}

function whyNotPublic(host: string): string | undefined {
  if (isIP(host) !== 0) {
    const checked = checkAddress(host);
    return checked.verdict === 'refused' ? checked.because : undefined;
  }
  // Starts at the first dot of a run only, or the time would be quadratic in the number of dots.
  const name = host.replace(/(?<!\.)\.+$/, '');
  if (!name.includes('.') || LOCAL_NAMES.test(name)) return 'no name of the public internet';
  return undefined;
}

function refused(because: string, instead: Fix | string): UrlVerdict {
  return { verdict: 'refused', because, fix: instead };
}

/** Whether the user's settings allow this destination, as `host:port`. */
export function isAllowed(
  { host, port }: Pick<Destination, 'host' | 'port'>,
  allowPrivate: readonly string[],
): boolean {
  if (allowPrivate.length === 0) return false;
  const place = hostAndPort(host.toLowerCase().replace(/\.$/, ''), port);
  return allowPrivate.some((allowed) => allowed.toLowerCase() === place);
}
