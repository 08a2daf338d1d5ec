import type { Json } from '#core/json/json.ts';
import { hidingOfField, isSecretParameter, MASK, type Hiding } from '#core/secrets/secret-names.ts';

/** A shorter value is not a secret, and would match half of any text. */
const MIN_SECRET_CHARS = 4;

/** Binary formats: they contain no text, and a changed length would break them. */
const NO_TEXT = /^(?:image|audio|video|font)\/|octet-stream|\/pdf|\/zip/i;

interface CleanUrl {
  readonly href: string;
  /** Path and query. */
  readonly path: string;
}

/**
 * Removes secrets from a recording. From the key of a request only whole secrets are removed: at
 * the replay an unknown key's parts could not be found.
 */
export interface Scrub {
  /** Removes secrets and parts of them. */
  text(text: string): string;
  /** For the key of a request. The number of bytes stays the same, so that lengths still fit. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** For the key of a request. */
  json(value: Json): Json;
  /** The same, for people to read. */
  shown(value: Json): Json;
  /** For a response; keeps the number of bytes. */
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
      // One character per byte, so that offsets in the string are offsets in the bytes.
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
      // Normalised, whether it was in the URL before or not.
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

/** The forms of a secret: plain, in JSON, in a URL, in Base64. */
function waysToWrite(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, quoted, encodeURIComponent(secret.toWellFormed()), base64];
}

function without(text: string, places: readonly Range[]): string {
  let clean = '';
  let at = 0;
  for (const [from, to] of places) {
    // Inside a range that is already removed.
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

/** A range and its replacement, which keeps JSON valid. */
interface Blot {
  readonly range: Range;
  readonly fill: '*' | '1';
}

const BLANKS = new Set([' ', '\t', '\r', '\n']);
const ADDRESS = /^https?:\\?\//;

/**
 * Finds values with secret names in JSON. The text may also be an event stream, or be cut off
 * anywhere.
 */
function findSecretValues(text: string): readonly Blot[] {
  const blots: Blot[] = [];
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const close = endOfString(text, at);
    if (close === undefined) {
      at = lineEnd(text, at);
      continue;
    }
    const said = text.slice(at + 1, close);
    const value = valueAfter(text, close + 1);
    if (value === undefined) blotAddress(said, at + 1, blots);
    const hiding = value === undefined ? 'nothing' : hidingOfField(nameOf(said));
    const isSecret = value !== undefined && hiding !== 'nothing';
    at = isSecret ? blotValue(text, value, hiding, blots) : close + 1;
  }
  return blots;
}

/** Position of the closing quote. No string crosses the end of a line. */
function endOfString(text: string, open: number): number | undefined {
  for (let at = open + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') return at;
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
  }
  return undefined;
}

/** Where the value begins, if the string that ended here is a name. */
function valueAfter(text: string, from: number): number | undefined {
  const colon = skipBlanks(text, from);
  return text[colon] === ':' ? skipBlanks(text, colon + 1) : undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (BLANKS.has(text[at] ?? '')) at += 1;
  return at;
}

function nameOf(said: string): string {
  if (!said.includes('\\')) return said;
  try {
    return String(JSON.parse(`"${said}"`));
  } catch {
    // Not a valid name.
    return said;
  }
}

function blotAddress(said: string, at: number, blots: Blot[]): void {
  if (!ADDRESS.test(said)) return;
  for (const [from, to] of findSecretParameters(said)) {
    blots.push({ range: [at + from, at + to], fill: '*' });
  }
}

/**
 * Masks all strings of a value, and numbers where everything is hidden, at any depth; returns where
 * the value ends.
 */
function blotValue(text: string, start: number, hiding: Hiding, blots: Blot[]): number {
  let depth = 0;
  let at = start;
  do {
    const char = text[at];
    if (char === '"') {
      const close = endOfString(text, at) ?? lineEnd(text, at);
      blots.push({ range: [at + 1, close], fill: '*' });
      at = close + 1;
    } else if (char !== undefined && /[-\d]/.test(char)) {
      const to = endOfNumber(text, at);
      if (hiding === 'all') blots.push({ range: [at, to], fill: '1' });
      at = to;
    } else {
      if (char === '{' || char === '[') depth += 1;
      if (char === '}' || char === ']') depth -= 1;
      at += 1;
    }
  } while (depth > 0 && at < text.length);
  return at;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  while (/[-+.\deE]/.test(text[at] ?? '')) at += 1;
  return at;
}

const PARAMETER = /[?&#]([^=&#\s]{1,200})=([^&#\s"'<>\\]+)/g;
const USER = /\bhttps?:(?:\\?\/){2}([^/?#@\s"'<>\\]+)@/g;

/** Finds passwords of users, and parameters with secret names, in the URLs of a text. */
function findSecretParameters(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const { 0: whole, 1: user = '', index } of text.matchAll(USER)) {
    const to = index + whole.length - 1;
    found.push([to - user.length, to]);
  }
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(PARAMETER)) {
    const to = index + whole.length;
    if (isSecretParameter(decoded(name))) found.push([to - value.length, to]);
  }
  return found.toSorted(([a], [b]) => a - b);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A lone percent sign stands for itself.
    return name;
  }
}

/** Start and end (exclusive). */
type Range = readonly [from: number, to: number];

const MIN_PIECE_CHARS = 6;
/** A shorter piece also occurs in ordinary text. */
const MIN_KEY_CHARS = 20;

/**
 * Finds parts of a key in a text (its beginning, end or middle), as servers quote keys that they
 * refuse.
 */
function findPieces(text: string, key: string): readonly Range[] {
  if (key.length < MIN_KEY_CHARS) return [];
  const begins = new Set<number>();
  for (let at = 0; at + MIN_PIECE_CHARS <= key.length; at += 1) begins.add(pairAt(key, at));
  const found: Range[] = [];
  for (let at = 0; at + MIN_PIECE_CHARS <= text.length;) {
    // Compares before copying: nearly every position is skipped.
    if (!begins.has(pairAt(text, at)) || !key.includes(text.slice(at, at + MIN_PIECE_CHARS))) {
      at += 1;
      continue;
    }
    let to = at + MIN_PIECE_CHARS;
    while (to < text.length && key.includes(text.slice(at, to + 1))) to += 1;
    found.push([at, to]);
    at = to;
  }
  return found;
}

const pairAt = (text: string, at: number): number =>
  text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);
