import type { Json } from '#core/json.ts';
import { hidingOfField, isSecretParameter, MASK, type Hiding } from '#core/secret-names.ts';
import { findPieces, type Range } from './find-pieces.ts';
import { findSecretParameters } from './secret-parameters.ts';
import { findSecretValues } from './secret-values.ts';

/** A shorter one would black out half of any text, and is no secret. */
const MIN_SECRET_CHARS = 4;

/** Nothing in them is a text, and a byte more or less spoils them. */
const NO_TEXT = /^(?:image|audio|video|font)\/|octet-stream|\/pdf|\/zip/i;

export interface CleanUrl {
  readonly href: string;
  /** Path and query. */
  readonly path: string;
}

/**
 * Takes what must not be written down out of an exchange. What a request is found by again loses whole secrets only: of a key
 * that is not known at the replay nobody could tell the pieces.
 */
export interface Scrub {
  /** Without secrets and pieces of them. */
  text(text: string): string;
  /** Of a request, to find it by. Bytes keep their number, so that whatever counts them still does. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** Of a request, to find it by. */
  json(value: Json): Json;
  /** The same for somebody to look at. */
  shown(value: Json): Json;
  /** Of an answer; keeps the number of bytes. */
  answer(bytes: Uint8Array, mediaType: string): Uint8Array;
  headers(headers: Readonly<Record<string, string>>): Record<string, string>;
  url(url: string): CleanUrl;
}

export function createScrub(secrets: readonly string[]): Scrub {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
  // A secret may contain another.
  const longestFirst = [...new Set(known.flatMap(waysToWrite))].toSorted(
    (a, b) => b.length - a.length,
  );

  const whole = (given: string) =>
    longestFirst.reduce((clean, secret) => clean.replaceAll(secret, MASK), given);

  const text = (given: string) =>
    known.reduce((clean, secret) => without(clean, findPieces(clean, secret)), whole(given));

  function bytes(given: Uint8Array): Buffer {
    const clean = Buffer.from(given);
    for (const secret of longestFirst) blackOut(clean, Buffer.from(secret));
    return clean;
  }

  return {
    text,
    bytes,
    json: (value) => mapped(value, whole),
    shown: (value) => mapped(value, text),
    answer(given, mediaType) {
      const clean = bytes(given);
      // One character for each byte, so that places in the text are places in the bytes.
      const plain = clean.toString('latin1');
      for (const secret of known) {
        const key = Buffer.from(secret).toString('latin1');
        for (const [from, to] of findPieces(plain, key)) clean.fill('*', from, to);
      }
      if (NO_TEXT.test(mediaType)) return clean;
      for (const { range, fill } of findSecretValues(plain)) clean.fill(fill, ...range);
      return clean;
    },
    headers: (given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          isSecretParameter(name) ? MASK : text(without(value, findSecretParameters(value))),
        ]),
      ),
    url(given) {
      const url = new URL(given);
      for (const name of new Set(url.searchParams.keys())) {
        if (isSecretParameter(name)) url.searchParams.set(name, MASK);
      }
      // Written in one way, whether it stood in the address already or not.
      const path = whole(`${url.pathname}${url.search}`).replaceAll(encodeURIComponent(MASK), MASK);
      return { href: whole(url.origin) + path, path };
    },
  };
}

function mapped(value: Json, clean: (text: string) => string): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    clean(name),
    cleanField(hidingOfField(name), item, clean),
  ]);
  return Object.fromEntries(entries) as Json;
}

function cleanField(hiding: Hiding, value: Json, clean: (text: string) => string): Json {
  if (hiding === 'all') return MASK;
  return mapped(value, hiding === 'texts' ? () => MASK : clean);
}

/** As it is, inside JSON, inside a URL, and as Base64. */
function waysToWrite(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, quoted, encodeURIComponent(secret.toWellFormed()), base64];
}

function without(text: string, places: readonly Range[]): string {
  let clean = '';
  let at = 0;
  for (const [from, to] of places) {
    // Inside one that is out already.
    if (from < at) continue;
    clean += text.slice(at, from) + MASK;
    at = to;
  }
  return clean + text.slice(at);
}

function blackOut(bytes: Buffer, secret: Buffer): void {
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length)) {
    bytes.fill('*', at, at + secret.length);
  }
}
