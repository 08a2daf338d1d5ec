import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { HttpRequest } from '#core/net/http.ts';
import type { Json } from '#core/json/json.ts';
import type { Scrub } from './scrub.ts';

const MAX_BODY_BYTES = 256 * 1024 * 1024;
const SHOWN_CHARS = 64 * 1024;

/** The key of a recorded request, without secrets. */
export interface Described {
  readonly method: string;
  readonly url: string;
  /** Path and query, without the host: a recording serves any host. */
  readonly path: string;
  readonly bodySha256: string;
  readonly body: Json | undefined;
}

export function describeRequest(
  { method, url, headers }: HttpRequest,
  body: Uint8Array,
  scrub: Scrub,
): Described {
  const clean = scrub.url(url);
  const shown =
    body.length === 0 ? undefined : readBody(body, headers['content-type'] ?? '', scrub);
  const canonical = shown === undefined ? '' : JSON.stringify(sorted(shown));
  return {
    method,
    url: clean.href,
    path: clean.path,
    bodySha256: createHash('sha256').update(canonical).digest('hex'),
    body: shown === undefined ? undefined : scrub.shown(beginning(shown)),
  };
}

function beginning(shown: Json): Json {
  return typeof shown === 'string' ? shown.slice(0, SHOWN_CHARS) : shown;
}

export function keyOf({
  method,
  path,
  bodySha256,
}: Pick<Described, 'method' | 'path' | 'bodySha256'>) {
  return `${method} ${path} ${bodySha256}`;
}

/** Reads the whole body, because the digest needs all of it. */
export async function wholeBody({ body, signal }: HttpRequest): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    signal.throwIfAborted();
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new CallError('too_large', `More than ${MAX_BODY_BYTES} bytes cannot be recorded.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** JSON, or a string with one character per byte. */
function readBody(body: Uint8Array, mediaType: string, scrub: Scrub): Json {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!mediaType.startsWith('multipart/')) {
    try {
      return scrub.json(JSON.parse(bytes.toString('utf8')) as Json);
    } catch {
      // Not JSON: handled as bytes.
    }
  }
  const text = Buffer.from(scrub.bytes(bytes)).toString('latin1');
  // Random for each request.
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(mediaType) ?? [];
  const boundary = quoted ?? plain ?? '';
  return boundary === '' ? text : text.replaceAll(boundary, 'boundary');
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
