import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { HttpResponse } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import type { OpenAiClientOptions } from './client-options.ts';
import { readVendorError, toVendorCallError } from './errors/vendor-error.ts';

/** Names this program; some networks refuse requests without it. Never that of another client. */
export const USER_AGENT = `exai/${VERSION}`;

export function requestHeaders(
  options: OpenAiClientOptions,
  ...more: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  requireKey(options);
  const { key, headers, keyHeader } = options;
  const all: Record<string, string> = { accept: 'application/json', 'user-agent': USER_AGENT };
  add(headers, all);
  for (const each of more) if (each) add(each, all);
  // Some servers refuse an empty token but accept none.
  if (key.isSet) {
    if (keyHeader === undefined) all['authorization'] = `Bearer ${key.reveal()}`;
    else all[keyHeader] = key.reveal();
  }
  return all;
}

export function requireKey({ key, keyNeeded, title, provider }: OpenAiClientOptions): void {
  if (key.isSet || keyNeeded === 'no') return;
  throw new CallError('not_configured', `${title} has no key yet.`, {
    provider,
    fixes: keyNeeded.fixes,
  });
}

/** Faster than spreading; runs for every request. */
function add(from: Readonly<Record<string, string>>, to: Record<string, string>): void {
  for (const name in from) {
    const value = from[name];
    if (value !== undefined) to[name] = value;
  }
}

export function urlOf(baseUrl: string, path: string): string {
  if (/^https?:/.test(path)) return path;
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/** The URL of chat requests. */
export function chatUrl({ baseUrl }: Pick<OpenAiClientOptions, 'baseUrl'>): string {
  return urlOf(baseUrl, '/chat/completions');
}

/** Throws the vendor's error for a response that is not successful; reports its body first. */
export async function throwVendorError(
  response: HttpResponse,
  model: string | undefined,
  options: OpenAiClientOptions,
  onBody?: (text: string) => void,
): Promise<void> {
  if (response.status >= 200 && response.status < 300) return;
  const text = await readErrorBody(response.body, options.clock);
  onBody?.(text);
  throw toVendorCallError(readVendorError(response.status, text), response.headers, model, options);
}

/** Adds the provider to an error; a cancellation by the caller has none. */
export function withProviderName(
  thrown: unknown,
  model: string | undefined,
  { provider }: Pick<OpenAiClientOptions, 'provider'>,
): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'cancelled') return error;
  return CallError.from(error, { provider, ...(model !== undefined && { model }) });
}

/** Adds the vendor's name to a network error: the host alone says little to people. */
export function unreachableError(
  thrown: unknown,
  { title }: Pick<OpenAiClientOptions, 'title'>,
): CallError {
  const error = CallError.from(thrown);
  if (error.class !== 'network') return error;
  const fixes = error.fixes.length > 0 ? error.fixes : [fix('retry'), fix('check_network')];
  const message = `${title} did not answer: ${error.message}`;
  return new CallError('network', message, { ...error.facts(), fixes, cause: error });
}

const MAX_BYTES = 64 * 1024;
const MAX_MS = 1000;

/**
 * Reads the body of an error response as far as it arrives. An endless, slow or broken body must
 * not hide the status and the headers.
 */
async function readErrorBody(body: AsyncIterable<Uint8Array>, clock: Clock): Promise<string> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let size = 0;
  let timer: { stop(): void } | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.after(MAX_MS, () => resolve(undefined));
  });
  try {
    while (size < MAX_BYTES) {
      const piece = await Promise.race([pieces.next(), late]);
      if (!piece || piece.done === true) break;
      read.push(piece.value);
      size += piece.value.length;
    }
  } catch {
    // What has arrived so far is used.
  } finally {
    timer?.stop();
    // Errors of the rest do not matter; closing a finished body does nothing.
    pieces.return?.().catch(() => undefined);
  }
  return Buffer.concat(read).toString('utf8', 0, MAX_BYTES);
}

/** A URL for messages: without password and query, which may contain a key. */
export function redactUrl(address: string): string {
  if (!isUrl(address) || !/[@?]/.test(address)) return address;
  const url = new URL(address);
  url.search = '';
  url.username = '';
  url.password = '';
  return url.href;
}

/** A file of a form, streamed. */
export interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  bytes(): AsyncIterable<Uint8Array>;
}

interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A multipart form as a stream: the file is not buffered, and the length is known, which some
 * vendors require. The boundary is random, so a file cannot end its part.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: FormFile,
  random: Random,
): Multipart {
  const boundary = `exai-${Buffer.from(random(16)).toString('hex')}`;
  const head = Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${part(boundary, name)}\r\n\r\n${value}\r\n`)
      .join('') +
      `${part(boundary, file.field)}; filename="${fileName(file.name)}"\r\ncontent-type: ${mediaType(file.mediaType)}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.size + tail.length),
    },
    body: inOrder(head, file, tail),
  };
}

async function* inOrder(
  head: Uint8Array,
  file: FormFile,
  tail: Uint8Array,
): AsyncIterable<Uint8Array> {
  yield head;
  yield* file.bytes();
  yield tail;
}

function part(boundary: string, name: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`;
}

/** Escapes a file name as browsers do. */
function fileName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function mediaType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}
