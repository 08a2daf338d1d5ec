import { createHash } from 'node:crypto';
import type { Ask, Fault, FormPart } from './vendor.ts';

/** What was received, and what became of it. */
export interface SeenRequest {
  readonly number: number;
  readonly vendor: string;
  readonly method: string;
  /** With the vendor's prefix and the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly atMs: number;
  /** 0 while nothing was answered. */
  readonly status: number;
  readonly fault: Fault | undefined;
  /** Whether the client left before the answer was whole. */
  readonly left: boolean;
}

export interface OpenRequest {
  status: number;
  left: boolean;
  fault: Fault | undefined;
}

export interface Requests {
  add(vendor: string, url: string, ask: Ask): OpenRequest;
  list(filter?: { readonly vendor?: string; readonly last?: number }): readonly SeenRequest[];
  clear(): void;
}

interface Kept extends OpenRequest {
  readonly number: number;
  readonly vendor: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly atMs: number;
}

const MAX_KEPT = 1_000;
const KEPT_BODY_BYTES = 65_536;
const HEAD_BYTES = 1_024;

/**
 * The newest requests. Adding one is cheap: what is shown of it is computed when it is read. Of a
 * body over `keptBodyBytes` the beginning and the digest are kept.
 */
export function createRequests(keptBodyBytes = KEPT_BODY_BYTES): Requests {
  let kept: (Kept | undefined)[] = [];
  let number = 0;
  return {
    add(vendor, url, ask) {
      number += 1;
      const entry: Kept = {
        number,
        vendor,
        method: ask.method,
        url,
        headers: ask.headers,
        body: toKeep(ask, keptBodyBytes),
        atMs: ask.now(),
        status: 0,
        left: false,
        fault: undefined,
      };
      kept[number % MAX_KEPT] = entry;
      return entry;
    },
    list({ vendor, last = MAX_KEPT } = {}) {
      const oldest = (number + 1) % MAX_KEPT;
      const theirs = [...kept.slice(oldest), ...kept.slice(0, oldest)].filter(
        (one) => one !== undefined && (vendor === undefined || one.vendor === vendor),
      ) as Kept[];
      return theirs.slice(theirs.length - Math.min(last, theirs.length)).map(show);
    },
    clear() {
      kept = [];
    },
  };
}

function toKeep(ask: Ask, keptBodyBytes: number): unknown {
  const { body, form, json } = ask;
  if (body.length === 0) return undefined;
  if (form.length > 0) return { parts: form.map(showPart) };
  if (body.length > keptBodyBytes)
    return {
      bytes: body.length,
      sha256: sha256(body),
      head: body.subarray(0, HEAD_BYTES).toString('utf8'),
    };
  return json ?? body.toString('utf8');
}

const showPart = (part: FormPart): object => ({
  name: part.name,
  filename: part.filename,
  type: part.type,
  bytes: part.data.length,
  sha256: sha256(part.data),
  ...(part.filename === undefined && part.data.length <= HEAD_BYTES
    ? { value: part.data.toString('utf8') }
    : {}),
});

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

function show({ url, headers, ...entry }: Kept): SeenRequest {
  return { ...entry, path: url, headers: maskKeys(headers) };
}

const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'x-api-key', 'cookie'];

function maskKeys(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const shown: Record<string, string> = { ...headers };
  for (const name of SECRET_HEADERS) {
    const value = shown[name];
    if (value !== undefined) shown[name] = `…${value.slice(-4)}`;
  }
  return shown;
}
