import { parseAddress } from '../parse-address.ts';
import { ElementNode } from '../tree/node.ts';

/** Makes addresses absolute, and chooses that of an image. */
export interface Addresses {
  /** `undefined` for addresses that lead nowhere: scripts, data. */
  link(href: string | undefined): string | undefined;
  image(image: ElementNode): string | undefined;
}

const MAX_BASE_CHARS = 2000;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const KEPT_SCHEME = /^(?:https?|mailto|tel|ftp|sms|geo|magnet|news|xmpp|irc):/i;

export function createAddresses(pageUrl: string | undefined, base: string | undefined): Addresses {
  const root = resolve(isShort(base) ? base : '', pageUrl) ?? pageUrl;
  const link = (href: string | undefined): string | undefined => {
    const address = href?.trim();
    if (address === undefined || address === '') return undefined;
    if (HAS_SCHEME.test(address)) return KEPT_SCHEME.test(address) ? address : undefined;
    return resolve(address, root) ?? address;
  };
  return { link, image: (image) => link(imageSource(image)) };
}

/** Each link repeats the base: a longer one is a mistake or an attack. */
function isShort(base: string | undefined): base is string {
  return base !== undefined && base.length <= MAX_BASE_CHARS;
}

function resolve(address: string, root: string | undefined): string | undefined {
  return root === undefined ? undefined : parseAddress(address, root)?.href;
}

const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy'] as const;
/** Files that stand in for an image until it is loaded. */
const STAND_IN = /(?:^|[_-])(?:blank|spacer|placeholder|pixel|transparent|loading|lazy|1x1)\b/i;

/** The source that a browser shows at last: pages load images when they are scrolled to. */
function imageSource(image: ElementNode): string | undefined {
  const own = image.get('src')?.trim();
  const lazy = LAZY.map((name) => image.get(name)?.trim()).find((value) => isAddress(value));
  if (lazy !== undefined) return lazy;
  if (isAddress(own) && !STAND_IN.test(own.slice(own.lastIndexOf('/') + 1))) return own;
  const set =
    largest(image.get('data-srcset')) ?? largest(image.get('srcset')) ?? pictureSource(image);
  return set ?? (isAddress(own) ? own : undefined);
}

function isAddress(value: string | undefined): value is string {
  return (
    value !== undefined && value !== '' && !value.startsWith('data:') && !value.startsWith('{')
  );
}

function pictureSource(image: ElementNode): string | undefined {
  const { parent } = image;
  if (parent?.name !== 'picture') return undefined;
  for (const child of parent.children) {
    if (!(child instanceof ElementNode) || child.name !== 'source') continue;
    const found = largest(child.get('data-srcset')) ?? largest(child.get('srcset'));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of `a.jpg 480w, b.jpg 800w` the last of the largest; candidates are separated by a comma and a space. */
function largest(srcset: string | undefined): string | undefined {
  if (srcset === undefined || srcset.length > 20_000) return undefined;
  let best: string | undefined;
  let bestSize = -1;
  for (const candidate of srcset.trim().split(/,\s+|,(?=https?:|\/)/)) {
    const [url, size] = candidate.trim().split(/\s+/);
    const value = size === undefined ? 1 : Number.parseFloat(size);
    if (isAddress(url) && value > bestSize) {
      best = url;
      bestSize = value;
    }
  }
  return best;
}
