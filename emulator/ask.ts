import type { IncomingMessage, ServerResponse } from 'node:http';
import { readForm } from './form.ts';
import type { Ask, Fault, FormPart } from './vendor.ts';

/** More than any vendor takes, so that each can refuse in its own words. */
const MAX_BODY_BYTES = 268_435_456;
const NOTHING = Buffer.alloc(0);
const NO_PARTS: readonly FormPart[] = [];

/** The whole body; rejects when the client leaves in the middle of it. */
export function readBody(req: IncomingMessage): Promise<Buffer | 'too large'> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) resolve('too large');
      else if (first === undefined) first = chunk;
      else (chunks ??= [first]).push(chunk);
    });
    req.on('end', () => {
      resolve(chunks === undefined ? (first ?? NOTHING) : Buffer.concat(chunks));
    });
    req.on('error', reject);
  });
}

export interface AskOptions {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly now: () => number;
}

/** A request as vendors see it. What costs something and is rarely looked at is made when it is. */
export class ReadAsk implements Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly form: readonly FormPart[];
  readonly json: unknown;
  fault: Fault | undefined;
  readonly now: () => number;
  readonly #search: string;
  readonly #res: ServerResponse;
  #query: URLSearchParams | undefined;
  #gone: AbortSignal | undefined;

  constructor({ req, res, path, query, body, now }: AskOptions) {
    this.method = req.method ?? 'GET';
    this.path = path;
    this.headers = flatten(req.headers);
    this.body = body;
    const type = this.headers['content-type'];
    this.form = type?.startsWith('multipart/') === true ? readForm(type, body) : NO_PARTS;
    this.json = this.form.length > 0 || body.length === 0 ? undefined : parse(body);
    this.fault = undefined;
    this.now = now;
    this.#search = query;
    this.#res = res;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  get gone(): AbortSignal {
    this.#gone ??= signalOf(this.#res);
    return this.#gone;
  }
}

function flatten(headers: IncomingMessage['headers']): Readonly<Record<string, string>> {
  if (headers['set-cookie'] === undefined) return headers as Readonly<Record<string, string>>;
  return { ...(headers as Record<string, string>), 'set-cookie': headers['set-cookie'].join(', ') };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    // No JSON is something a vendor answers for itself.
    return undefined;
  }
}

function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else
    res.once('close', () => {
      controller.abort();
    });
  return controller.signal;
}
