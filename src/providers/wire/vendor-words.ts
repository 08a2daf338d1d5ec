import { oneLine } from '#core/one-line.ts';
import type { Secret } from '#core/secret.ts';

const MAX_CHARS = 240;
/** What stands between quotes or braces at this length is more likely the caller's text than the vendor's. */
const QUOTED = /(["'`{[])[^"'`{}[\]]{48,}(?:["'`}\]]|$)/g;
/** Kimi names the account and the id of its key. */
const ACCOUNT = /<[^<>]{4,80}>/g;

/** A vendor's message as a person may see it: one short line without the key, without accounts, without the caller's own text. */
export function vendorWords(text: string, key: Secret): string {
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) return '';
  const bounded = key.scrub(text.slice(0, 16 * MAX_CHARS));
  const quiet = bounded.replaceAll(ACCOUNT, '').replaceAll(QUOTED, '$1…');
  return oneLine(quiet.trim(), MAX_CHARS).replace(/[.\s]+$/, '');
}
