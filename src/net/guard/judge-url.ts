import { isIP } from 'node:net';
import { isUrl } from '#core/is-url.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { readTarget } from '../target.ts';
import { isAllowed } from './allow-private.ts';
import { judgeAddress } from './judge-address.ts';

export const ALLOW_FIX = fix('extend_setting', {
  setting: 'network.allowPrivate',
  entry: 'its host:port',
  condition: 'if it is yours',
});

export type UrlVerdict =
  /** As far as can be seen: what a name leads to is judged when it is looked up. */
  | { readonly verdict: 'public' }
  /** Named by the user. */
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly because: string; readonly fix: Fix | string };

const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
/** Names that mean this machine, this network or the cloud around it. */
const LOCAL_NAMES =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|arpa)$/;

/** Whether a URL from outside may be asked for, before anything is looked up. */
export function judgeUrl(
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
    const judged = judgeAddress(host);
    return judged.verdict === 'refused' ? judged.because : undefined;
  }
  // From the first point of a row only: a look from each of them would take the square of their number.
  const name = host.replace(/(?<!\.)\.+$/, '');
  if (!name.includes('.') || LOCAL_NAMES.test(name)) return 'no name of the public internet';
  return undefined;
}

function refused(because: string, instead: Fix | string): UrlVerdict {
  return { verdict: 'refused', because, fix: instead };
}
