import type { Secret } from '#core/secrets/secret.ts';
import { oneLine } from '#core/text/text.ts';
import { asObject, asText, parseJson } from '../response/json.ts';

const MAX_CHARS = 240;
/** A quotation of this length is more likely the caller's text than the vendor's. */
const QUOTED = /(["'`{[])[^"'`{}[\]]{48,}(?:["'`}\]]|$)/g;
/** Kimi's messages contain the account and the id of the key. */
const ACCOUNT = /<[^<>]{4,80}>/g;

/** A vendor's message for people: one short line without key, accounts and the caller's text. */
export function vendorErrorText(text: string, key: Secret): string {
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) return '';
  const bounded = key.scrub(text.slice(0, 16 * MAX_CHARS));
  const quiet = bounded.replaceAll(ACCOUNT, '').replaceAll(QUOTED, '$1…');
  return oneLine(quiet.trim(), MAX_CHARS).replace(/[.\s]+$/, '');
}

/** A relay wraps the message of its vendor, which may be a relay as well. */
const MAX_DEPTH = 4;
/** More is never shown, and the expression needs stack for each character. */
const MAX_CUT_CHARS = 64 * 1024;
const CUT_MESSAGE = /"(?:message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)("?)/;

/** The message in a text that may be JSON, possibly cut off; empty when there is none. */
export function messageInJson(text: string, depth = 0): string {
  if (!/^\s*\{/.test(text)) return text;
  const parsed = parseJson(text);
  if (parsed === undefined) return messageBeforeCut(text);
  const whole = asObject(parsed);
  const inner = whole?.['error'] ?? whole;
  const body = asObject(inner);
  const message =
    typeof inner === 'string' ? inner : (asText(body?.['message']) ?? asText(body?.['detail']));
  return message === undefined || depth >= MAX_DEPTH ? '' : messageInJson(message, depth + 1);
}

function messageBeforeCut(text: string): string {
  const [, message = '', end] = CUT_MESSAGE.exec(text.slice(0, MAX_CUT_CHARS)) ?? [];
  // The cut may be inside an escape sequence.
  const unescaped = parseJson(`"${message.replace(/\\u[\da-f]{0,3}$/i, '')}"`);
  return typeof unescaped === 'string' && message !== '' ? `${unescaped}${end ? '' : '…'}` : '';
}
