import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { asList, asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import { LARGE_BODY_BYTES, parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Http, HttpResponse } from '#core/net/http.ts';
import { oneLine } from '#core/text/text.ts';
import { VERSION } from '#core/version.ts';
import { isExecution, readData, failureOfExecution } from './execution-fields.ts';

/** A session of the tool router: what a user may do, and the MCP server that does it. */
export interface ComposioSession {
  readonly id: string;
  readonly mcpUrl: string;
}

/** The end of an execution; `data` is what the tool answered. */
export interface ComposioExecution {
  readonly data: Unknown;
  readonly error: string | null;
  readonly logId: string;
}

/** A tool as the REST interface describes it. */
export interface ComposioToolInfo {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly toolkit: string;
  readonly noAuth: boolean;
  readonly tags: readonly string[];
  readonly inputSchema: JsonObject;
}

/** A toolkit of a session; `accountStatus` is absent where the user has no account. */
export interface ComposioToolkit {
  readonly slug: string;
  readonly noAuth: boolean;
  readonly accountStatus?: string;
}

export interface ComposioLink {
  readonly accountId: string;
  readonly url: string;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** The REST interface of Composio, as far as the hub uses it. Every method may throw a `CallError`. */
export interface ComposioApi {
  createSession(about: NewSession, signal: AbortSignalLike): Promise<ComposioSession>;
  /** A tool of an app in a session. */
  execute(
    session: string,
    slug: string,
    args: Unknown,
    signal: AbortSignalLike,
  ): Promise<ComposioExecution>;
  /** A meta tool of a session. */
  executeMeta(
    session: string,
    slug: string,
    args: Unknown,
    signal: AbortSignalLike,
  ): Promise<ComposioExecution>;
  /** Undefined: there is no such tool. */
  tool(slug: string, signal: AbortSignalLike): Promise<ComposioToolInfo | undefined>;
  tools(
    toolkit: string,
    cursor: string | undefined,
    signal: AbortSignalLike,
  ): Promise<Page<ComposioToolInfo>>;
  /** Those of these tools that there are. */
  toolsNamed(
    slugs: readonly string[],
    signal: AbortSignalLike,
  ): Promise<readonly ComposioToolInfo[]>;
  toolkits(
    session: string,
    which: 'connected' | readonly string[],
    signal: AbortSignalLike,
  ): Promise<readonly ComposioToolkit[]>;
  link(session: string, toolkit: string, signal: AbortSignalLike): Promise<ComposioLink>;
  /** `ACTIVE` once the user has connected it. */
  accountStatus(accountId: string, signal: AbortSignalLike): Promise<string>;
}

export interface NewSession {
  readonly userId: string;
  /** All where there are none. */
  readonly toolkits: readonly string[];
  /** Answers up to so many characters come inline; undefined: as the vendor decides. */
  readonly offloadAbove?: number;
}

export interface ComposioApiOptions {
  /** The name of the server in messages. */
  readonly server: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly http: Http;
  readonly maxBytes: number;
  readonly newMark: () => string;
}

const PREFIX = '/api/v3';
const TOOLS_PER_PAGE = 200;
const TOOLKITS_PER_PAGE = 100;
/** Their names are in an address, whose length is limited. */
const NAMED_AT_ONCE = 50;
const MAX_TOOLKIT_PAGES = 20;
const MAX_ERROR_BYTES = 65_536;
const MAX_ERROR_CHARS = 500;

export function createComposioApi(options: ComposioApiOptions): ComposioApi {
  const { server, http, maxBytes } = options;
  const base = options.baseUrl.replace(/\/+$/, '');
  const headers = {
    'x-api-key': options.apiKey,
    'user-agent': `exai/${VERSION}`,
    accept: 'application/json',
  };

  async function send(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignalLike,
    body?: object,
  ): Promise<Unknown> {
    const url = `${base}${PREFIX}${path}`;
    const response = await http
      .send({
        method,
        url,
        signal,
        headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      .catch((thrown: unknown) => {
        throw notReached(server, thrown, signal);
      });
    if (response.status >= 300) throw await refusalOf(server, response);
    const read = asObject(await readJson(response));
    if (!read) throw unreadable(server);
    return read;
  }

  async function readJson(response: HttpResponse): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxBytes) {
        throw codedError('too_large', reason('server_message_too_large', { server, maxBytes }));
      }
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks, size);
    try {
      return bytes.length > LARGE_BODY_BYTES
        ? await parseLargeBody(bytes, options.newMark())
        : (JSON.parse(bytes.toString('utf8')) as unknown);
    } catch {
      throw unreadable(server);
    }
  }

  /** A list that is missing is not an empty one. */
  function requireList(items: unknown): readonly unknown[] {
    if (!Array.isArray(items)) throw unreadable(server);
    return items;
  }

  const at = (session: string, rest: string) =>
    `/tool_router/session/${encodeURIComponent(session)}/${rest}`;

  async function execution(path: string, body: object, signal: AbortSignalLike) {
    const answer = await send('POST', path, signal, body);
    if (!isExecution(answer)) throw unreadable(server);
    const { log_id: logId } = answer;
    return {
      data: readData(answer),
      error: failureOfExecution(answer),
      logId: typeof logId === 'string' ? logId : '',
    };
  }

  return {
    async createSession({ userId, toolkits, offloadAbove }, signal) {
      const { session_id: id, mcp } = await send('POST', '/tool_router/session', signal, {
        user_id: userId,
        ...(toolkits.length > 0 && { toolkits: { enable: toolkits } }),
        ...(offloadAbove !== undefined && { workbench: { auto_offload_threshold: offloadAbove } }),
      });
      const url = asObject(mcp)?.['url'];
      if (typeof id !== 'string' || !isWebAddress(url)) throw unreadable(server);
      return { id, mcpUrl: url };
    },
    execute: (session, slug, args, signal) =>
      execution(at(session, 'execute'), { tool_slug: slug, arguments: args }, signal),
    executeMeta: (session, slug, args, signal) =>
      execution(at(session, 'execute_meta'), { slug, arguments: args }, signal),
    async tool(slug, signal) {
      const found = await send('GET', `/tools/${encodeURIComponent(slug)}`, signal).catch(
        (thrown: unknown) => {
          if (CallError.from(thrown).class === 'not_found') return undefined;
          throw thrown;
        },
      );
      return found && toToolInfo(found);
    },
    async tools(toolkit, cursor, signal) {
      const query = new URLSearchParams({ toolkit_slug: toolkit, limit: String(TOOLS_PER_PAGE) });
      if (cursor !== undefined) query.set('cursor', cursor);
      const { items, next_cursor: next } = await send('GET', `/tools?${query.toString()}`, signal);
      return {
        items: requireList(items).flatMap((item) => toToolInfo(asObject(item) ?? {}) ?? []),
        ...(typeof next === 'string' && next !== '' && { nextCursor: next }),
      };
    },
    async toolsNamed(slugs, signal) {
      const found: ComposioToolInfo[] = [];
      for (let at = 0; at < slugs.length; at += NAMED_AT_ONCE) {
        const wanted = slugs.slice(at, at + NAMED_AT_ONCE);
        const limit = String(NAMED_AT_ONCE);
        const query = new URLSearchParams({ tool_slugs: wanted.join(','), limit });
        const { items } = await send('GET', `/tools?${query.toString()}`, signal);
        const infos = requireList(items).flatMap((item) => toToolInfo(asObject(item) ?? {}) ?? []);
        found.push(...infos.filter(({ slug }) => wanted.includes(slug)));
      }
      return found;
    },
    async toolkits(session, which, signal) {
      const found: ComposioToolkit[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_TOOLKIT_PAGES; page += 1) {
        const query = new URLSearchParams({ limit: String(TOOLKITS_PER_PAGE) });
        if (which === 'connected') query.set('is_connected', 'true');
        else query.set('toolkits', which.join(','));
        if (cursor !== undefined) query.set('cursor', cursor);
        const path = at(session, `toolkits?${query.toString()}`);
        const { items, next_cursor: next } = await send('GET', path, signal);
        found.push(...requireList(items).flatMap(toToolkit));
        if (typeof next !== 'string' || next === '' || next === cursor) break;
        cursor = next;
      }
      return found;
    },
    async link(session, toolkit, signal) {
      const made = await send('POST', at(session, 'link'), signal, { toolkit });
      const { redirect_url: url, connected_account_id: accountId } = made;
      if (!isWebAddress(url) || typeof accountId !== 'string') throw unreadable(server);
      return { url, accountId };
    },
    async accountStatus(accountId, signal) {
      const path = `/connected_accounts/${encodeURIComponent(accountId)}`;
      const { status } = await send('GET', path, signal);
      return typeof status === 'string' ? status : '';
    },
  };
}

function toToolInfo(given: Unknown): ComposioToolInfo | undefined {
  const {
    slug,
    name,
    description,
    toolkit,
    no_auth: noAuth,
    tags,
    input_parameters: input,
  } = given;
  if (typeof slug !== 'string' || slug === '') return undefined;
  const toolkitSlug = asObject(toolkit)?.['slug'];
  return {
    slug,
    name: typeof name === 'string' ? name : slug,
    description: typeof description === 'string' ? description : '',
    toolkit: typeof toolkitSlug === 'string' ? toolkitSlug : '',
    noAuth: noAuth === true,
    tags: asList(tags).filter((tag) => typeof tag === 'string'),
    inputSchema: (asObject(input) as JsonObject | undefined) ?? { type: 'object' },
  };
}

function toToolkit(item: unknown): ComposioToolkit[] {
  const { slug, is_no_auth: noAuth, connected_account: account } = asObject(item) ?? {};
  if (typeof slug !== 'string') return [];
  const status = asObject(account)?.['status'];
  return [
    {
      slug,
      noAuth: noAuth === true,
      ...(typeof status === 'string' && { accountStatus: status }),
    },
  ];
}

function notReached(server: string, thrown: unknown, signal: AbortSignalLike): CallError {
  const error = CallError.from(signal.aborted ? signal.reason : thrown);
  if (signal.aborted || (error.class !== 'network' && error.class !== 'timeout')) return error;
  return codedError('network', reason('server_not_reached', { server, detail: error.message }), {
    cause: error,
    ...(error.fix !== undefined && { fix: error.fix }),
  });
}

async function refusalOf(server: string, response: HttpResponse): Promise<CallError> {
  const { status } = response;
  const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
  if (status === 401 || status === 403) {
    return codedError(
      status === 401 ? 'auth' : 'permission',
      reason('composio_key_refused', { server, status }),
      { fix: 'Run exai keys add composio, or set COMPOSIO_API_KEY.' },
    );
  }
  const seconds = response.headers['retry-after'] ?? '';
  const retryAfterMs = /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
  return codedError(
    classOf(status),
    reason('server_http_status', { server, status, text: messageIn(body) }),
    { ...(retryAfterMs !== undefined && { retryAfterMs }) },
  );
}

function classOf(status: number): ErrorClass {
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limit';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'network' : 'tool_error';
}

/** What the vendor says; a page of a proxy says nothing to a user. */
function messageIn(body: string): string {
  try {
    const message = asObject(asObject(JSON.parse(body))?.['error'])?.['message'];
    return typeof message === 'string' ? oneLine(message, MAX_ERROR_CHARS) : '';
  } catch {
    return '';
  }
}

function unreadable(server: string): CallError {
  const problem = 'answers with something that its interface does not describe';
  return codedError('bad_response', reason('server_protocol_error', { server, problem }));
}

function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/./i.test(value) && isUrl(value);
}
