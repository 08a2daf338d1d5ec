import { asObject, asText, parseJson } from './json-read.ts';

/** A relay wraps the words of its vendor, who may be a relay, too. */
const MAX_DEPTH = 4;
/** Nobody is shown more, and an expression keeps a place on its stack for each character. */
const MAX_CUT_CHARS = 64 * 1024;
const CUT_MESSAGE = /"(?:message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)("?)/;

/** What a text says that may be JSON around a message, also where it broke off in the middle; nothing when it names none. */
export function saidInJson(text: string, depth = 0): string {
  if (!/^\s*\{/.test(text)) return text;
  const parsed = parseJson(text);
  if (parsed === undefined) return saidBeforeTheCut(text);
  const whole = asObject(parsed);
  const inner = whole?.['error'] ?? whole;
  const body = asObject(inner);
  const said =
    typeof inner === 'string' ? inner : (asText(body?.['message']) ?? asText(body?.['detail']));
  return said === undefined || depth >= MAX_DEPTH ? '' : saidInJson(said, depth + 1);
}

function saidBeforeTheCut(text: string): string {
  const [, said = '', end] = CUT_MESSAGE.exec(text.slice(0, MAX_CUT_CHARS)) ?? [];
  // The cut may have gone through an escape.
  const unescaped = parseJson(`"${said.replace(/\\u[\da-f]{0,3}$/i, '')}"`);
  return typeof unescaped === 'string' && said !== '' ? `${unescaped}${end ? '' : '…'}` : '';
}
