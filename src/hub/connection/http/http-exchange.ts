import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { LARGE_BODY_BYTES, parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import { oneLine } from '#core/text/text.ts';
import { VERSION } from '#core/version.ts';
import { parseMessage } from '../parse-message.ts';
import { protocolError } from '../rpc-client.ts';
import type { HttpAuthorization } from './http-authorization.ts';

export interface HttpLinkOptions {
  /** The name of the server. */
  readonly server: string;
  readonly url: string;
  /** The user's headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly http: Http;
  readonly maxMessageBytes: number;
  /** A text that no server can know, to mark what is lifted out of large messages. */
  readonly newMark: () => string;
  /** Absent: the user's headers have it, or the server needs none. */
  readonly authorization?: HttpAuthorization;
}

/** Requests to one MCP server. */
export interface HttpExchange {
  /** Follows redirects within the origin that keep the method. Rejects with `server_not_reached`. */
  send(request: {
    readonly method: HttpRequest['method'];
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignalLike;
    readonly body?: string;
    /** Default: the address of the settings. */
    readonly url?: string;
  }): Promise<HttpResponse>;
  /** Parses the data of an event or a body; large ones in steps. */
  parse(bytes: Buffer): unknown;
  /** Reads a whole body; undefined if it is larger than a message may be. */
  readBody(response: HttpResponse): Promise<Buffer | undefined>;
  /** What a response without success means. Reads its body. */
  refusal(response: HttpResponse): Promise<CallError | { readonly message: unknown }>;
}

const MAX_REDIRECTS = 3;
/** How often one request is sent again with another token. */
const MAX_REPEATS = 2;
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_ERROR_CHARS = 300;

export function createHttpExchange(options: HttpLinkOptions): HttpExchange {
  const { server, http, maxMessageBytes, newMark } = options;
  const common = { 'user-agent': `exai/${VERSION}`, ...options.headers };
  let address = options.url;
  let token: Buffer | undefined;

  /** What a server quotes of its own token reaches no caller. */
  function withoutToken(bytes: Buffer): Buffer {
    return token !== undefined && bytes.includes(token) ? replaceAll(bytes, token) : bytes;
  }

  async function sendTo(url: string, request: Omit<HttpRequest, 'url'>): Promise<HttpResponse> {
    try {
      return await http.send({ ...request, url });
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (error.class !== 'network' && error.class !== 'timeout') throw error;
      const detail = error.message;
      throw codedError('network', reason('server_not_reached', { server, detail }), {
        cause: error,
        ...(error.fix !== undefined && { fix: error.fix }),
      });
    }
  }

  async function follow(
    url: string | undefined,
    { headers, ...request }: Omit<HttpRequest, 'url'>,
  ): Promise<HttpResponse> {
    let target = url ?? address;
    for (let redirects = 0; ; redirects++) {
      const response = await sendTo(target, { ...request, headers: { ...common, ...headers } });
      const next = redirectOf(response, target);
      if (next === undefined || redirects === MAX_REDIRECTS) return response;
      await discard(response);
      // Later requests go there at once.
      if (target === address) address = next;
      target = next;
    }
  }

  /** Sends with the token of the login, and again where a refused one was replaced. */
  async function sendAuthorized(
    authorization: HttpAuthorization,
    url: string | undefined,
    { headers, ...request }: Omit<HttpRequest, 'url'>,
  ): Promise<HttpResponse> {
    for (let repeats = 0; ; repeats++) {
      const used = await authorization.header(request.signal);
      token = used === undefined ? undefined : tokenOf(used);
      const response = await follow(url, {
        ...request,
        headers: { ...headers, ...(used !== undefined && { authorization: used }) },
      });
      const { status } = response;
      const isRefused = status === 401 || status === 403;
      if (!isRefused) authorization.accepted(used);
      if (!isRefused || repeats === MAX_REPEATS) return response;
      const challenge = response.headers['www-authenticate'];
      const outcome = await authorization.refused({ status, challenge, used }, request.signal);
      if (outcome === 'other') return response;
      await discard(response);
      if (outcome !== 'again') throw outcome;
    }
  }

  return {
    send: ({ url, ...request }) =>
      options.authorization
        ? sendAuthorized(options.authorization, url, request)
        : follow(url, request),
    parse(given) {
      const bytes = withoutToken(given);
      return bytes.length > LARGE_BODY_BYTES
        ? parseLargeBody(bytes, newMark())
        : parseMessage(bytes.toString('utf8'));
    },
    async readBody(response) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        size += chunk.length;
        if (size > maxMessageBytes) return undefined;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, size);
    },
    async refusal(response) {
      const { status } = response;
      const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
      const text = withoutToken(Buffer.from(body)).toString();
      const message = messageIn(text);
      if (message !== undefined) return { message };
      if (status === 401 || status === 403) {
        return codedError(
          status === 401 ? 'auth' : 'permission',
          reason('server_unauthorized', { server, status }),
          { fix: `Set mcpServers.${server}.headers, for example {"Authorization": "Bearer …"}.` },
        );
      }
      if (status < 400) {
        return protocolError(server, `answers with HTTP status ${status}`);
      }
      const retryAfterMs = retryAfterOf(response);
      return codedError(
        classOf(status),
        reason('server_http_status', { server, status, text: shownText(response, text) }),
        { ...(retryAfterMs !== undefined && { retryAfterMs }) },
      );
    },
  };
}

/** Shorter ones are texts that occur by chance. */
const MIN_TOKEN_CHARS = 8;
const REPLACED = '[token]';

function tokenOf(header: string): Buffer | undefined {
  const token = header.slice(header.indexOf(' ') + 1);
  return token.length < MIN_TOKEN_CHARS ? undefined : Buffer.from(token);
}

/** Byte by byte, as a body need not be text. */
function replaceAll(bytes: Buffer, token: Buffer): Buffer {
  return Buffer.from(
    bytes.toString('latin1').replaceAll(token.toString('latin1'), REPLACED),
    'latin1',
  );
}

/** The next address of a redirect that keeps the method, within the origin. */
function redirectOf({ status, headers }: HttpResponse, url: string): string | undefined {
  const { location } = headers;
  if ((status !== 307 && status !== 308) || location === undefined) return undefined;
  if (!isUrl(location, url)) return undefined;
  const next = new URL(location, url);
  return next.origin === new URL(url).origin ? next.href : undefined;
}

/** Reads and drops the rest, so that the connection can be used again. */
export async function discard(response: HttpResponse): Promise<void> {
  await response.text(MAX_ERROR_BYTES).catch(() => undefined);
}

/** The media type without its parameters. */
export function essenceOf({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function messageIn(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const message = parseMessage(text) as Readonly<Record<string, unknown>>;
    return message['jsonrpc'] === '2.0' && typeof message['error'] === 'object'
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}

/** Pages of proxies say nothing to a user. */
function shownText(response: HttpResponse, text: string): string {
  return essenceOf(response) === 'text/html' ? '' : oneLine(text, MAX_ERROR_CHARS);
}

function classOf(status: number): ErrorClass {
  if (status === 404) return 'not_found';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limit';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'network' : 'tool_error';
}

function retryAfterOf({ headers }: HttpResponse): number | undefined {
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
