import { createBoundedMap } from '#core/bounded-map.ts';
import { MASK } from '#core/secrets/secret-names.ts';
import { createKeyClassifier, sanitize } from './sanitize.ts';
import type { SecretTexts } from './secret-list.ts';
import { maskShapes } from './secret-patterns.ts';

/** Longer than any pattern whose end is far from its start, such as the password of a URL. */
const SHAPE_OVERLAP = 1024;

/** A request id, which is in nearly every line and always new. */
const OWN_ID = /^req_[0-9a-hjkmnp-tv-z]{22}$/;
const SHORT_CHARS = 40;
const MAX_CLEAN = 2000;

export type Redactor = (value: unknown) => unknown;

/**
 * Creates a function that copies a value as plain, bounded JSON data without secrets: found by the
 * key they are under, by their pattern inside any text, and by their value when it is one of
 * `secrets`.
 */
export function createRedactor(secrets: SecretTexts = []): Redactor {
  if (typeof secrets !== 'function') return createFixedRedactor(secrets);
  let known = secrets();
  let redact = createFixedRedactor(known);
  return (value) => {
    const current = secrets();
    if (current !== known) {
      known = current;
      redact = createFixedRedactor(current);
    }
    return redact(value);
  };
}

function createFixedRedactor(secrets: readonly string[]): Redactor {
  const values = createSecretValues(secrets);
  // Short texts without secrets, such as names of tools and models, which repeat and need no second
  // search.
  const clean = createBoundedMap<string, true>({ maxEntries: MAX_CLEAN });
  function mask(text: string): string {
    if (text.length > SHORT_CHARS) return maskShapes(values.mask(text));
    if (clean.get(text) || OWN_ID.test(text)) return text;
    const masked = maskShapes(values.mask(text));
    if (masked !== text) return masked;
    clean.set(text, true);
    return text;
  }
  const masking = {
    mask,
    overlap: Math.max(values.longest, SHAPE_OVERLAP),
  };
  const rules = { ...masking, classifyKey: createKeyClassifier(masking) };
  return (value) => sanitize(value, rules);
}

/**
 * The shortest value that is masked: a shorter one would match ordinary words and hide half of
 * every line. Keys and tokens are much longer.
 */
const SHORTEST = 6;

interface SecretValues {
  mask(text: string): string;
  /** Length of the longest encoded form. */
  readonly longest: number;
}

/**
 * Masks secrets in a text, plain or encoded as in URLs, JSON, HTML forms, hex and base64, ignoring
 * case.
 */
export function createSecretValues(secrets: readonly string[]): SecretValues {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
  if (forms.size === 0) return { mask: (text) => text, longest: 0 };
  // Longest first, so that a secret that starts with another is masked completely.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  const shortest = sorted.at(-1)?.length ?? 0;
  const pattern = new RegExp(sorted.map(escapeForRegExp).join('|'), 'gi');
  return {
    mask: (text) => (text.length < shortest ? text : text.replace(pattern, MASK)),
    longest: sorted[0]?.length ?? 0,
  };
}

function formsOf(secret: string): string[] {
  const escaped = inJson(secret);
  const url = inUrl(secret);
  return [
    secret,
    escaped,
    inJson(escaped),
    url,
    url.replaceAll('%20', '+'),
    Buffer.from(secret).toString('hex'),
    ...inBase64(secret),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inUrl(text: string): string {
  // Half a surrogate pair cannot be encoded; Buffer writes the replacement character, as a server
  // would.
  return encodeURIComponent(Buffer.from(text).toString());
}

/**
 * The base64 characters of a secret at each of the three offsets it can have in a longer encoded
 * text.
 */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // The first and last character may also encode bits of neighbouring text and are left out.
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = encoded.slice(start, end);
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
