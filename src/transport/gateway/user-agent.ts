import { createBoundedMap } from '#core/bounded-map.ts';
import { toClientInfo, type ClientInfo } from '#core/calls/client-info.ts';

const MAX_CHARS = 512;
/** Products that every browser and every program in a browser's shell names. */
const BROWSER_PARTS = new Set(
  'mozilla applewebkit khtml gecko chrome chromium safari version mobile electron firefox edg'.split(
    ' ',
  ),
);
const VERSION = /^v?\d/;

/**
 * The program that a User-Agent names: its first product, such as `claude-cli`, `OpenAI/JS` or
 * `curl`. A program that presents itself as a browser has its own product after those of the
 * browser; one without is `browser`.
 */
export function readUserAgent(header: string | undefined): ClientInfo | undefined {
  const text = (header ?? '').slice(0, MAX_CHARS);
  if (text === '') return undefined;
  const known = recent.get(text);
  if (known) return known.clientInfo;
  const clientInfo = parseUserAgent(text);
  recent.set(text, { clientInfo });
  return clientInfo;
}

/** A client sends the same header with every request. */
const recent = createBoundedMap<string, { readonly clientInfo: ClientInfo | undefined }>({
  maxEntries: 64,
});

function parseUserAgent(text: string): ClientInfo | undefined {
  // Comments, in parentheses, describe the machine.
  const words = text
    .replaceAll(/\([^()]*\)/g, ' ')
    .trim()
    .split(/\s+/);
  const [first = ''] = words;
  if (nameOf(first).toLowerCase() !== 'mozilla') return productAt(words, 0);
  const own = words.findIndex((word) => !BROWSER_PARTS.has(nameOf(word).toLowerCase()));
  return own < 0 ? { name: 'browser' } : productAt(words, own);
}

function nameOf(word: string): string {
  return word.split('/', 1)[0] ?? '';
}

/** `name/1.2`, `vendor/name/1.2`, `vendor/name 1.2` or `name`. */
function productAt(words: readonly string[], index: number): ClientInfo | undefined {
  const segments = (words[index] ?? '').split('/');
  const last = segments.at(-1) ?? '';
  if (segments.length > 1 && (last === '' || VERSION.test(last))) {
    return toClientInfo(segments.slice(0, -1).join('/'), last);
  }
  const next = words[index + 1] ?? '';
  return toClientInfo(segments.join('/'), VERSION.test(next) && !next.includes('/') ? next : '');
}
