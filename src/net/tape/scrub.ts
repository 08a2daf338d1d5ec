import type { Json } from '#core/json.ts';

const REDACTED = '[redacted]';
/** A shorter one would black out half of any text, and is no secret. */
const MIN_SECRET_CHARS = 4;
const STAR = '*'.charCodeAt(0);

const SECRET_HEADER = /auth|cookie|token|secret|key|session|signature|credential|password/i;
const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|session|credential|^code$/i;
const SECRET_FIELD =
  /^(?:api[-_]?key|authorization|(?:access|refresh|id)[-_]?token|(?:client[-_]?)?secret|password)$/i;

export interface CleanUrl {
  readonly href: string;
  /** Path and query. */
  readonly path: string;
}

/** Takes what must not be written down out of an exchange. */
export interface Scrub {
  text(text: string): string;
  /** Bytes keep their number, so that whatever counts them still does. */
  bytes(bytes: Uint8Array): Uint8Array;
  json(value: Json): Json;
  headers(headers: Readonly<Record<string, string>>): Record<string, string>;
  url(url: string): CleanUrl;
}

export function createScrub(secrets: readonly string[]): Scrub {
  const forms = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS).flatMap(waysToWrite);
  // A secret may contain another.
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);

  const text = (given: string) =>
    longestFirst.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), given);

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => [
      text(name),
      SECRET_FIELD.test(name) ? REDACTED : json(item),
    ]);
    return Object.fromEntries(entries) as Json;
  }

  return {
    text,
    json,
    bytes(given) {
      const clean = Buffer.from(given);
      for (const secret of longestFirst) blackOut(clean, Buffer.from(secret));
      return clean;
    },
    headers: (given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          SECRET_HEADER.test(name) ? REDACTED : text(value),
        ]),
      ),
    url(given) {
      const url = new URL(given);
      for (const name of new Set(url.searchParams.keys())) {
        if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, REDACTED);
      }
      const path = text(`${url.pathname}${url.search}`);
      return { href: text(url.origin) + path, path };
    },
  };
}

/** As it is, inside JSON, inside a URL, and as Base64. */
function waysToWrite(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, quoted, encodeURIComponent(secret.toWellFormed()), base64];
}

function blackOut(bytes: Buffer, secret: Buffer): void {
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length)) {
    bytes.fill(STAR, at, at + secret.length);
  }
}
