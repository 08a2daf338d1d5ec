import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import { createHttp, type NetworkSettings } from '#net/create-http.ts';
import { hostAndPort, readTarget } from '#net/target.ts';

/** The part of `fetch` that the OAuth functions of MCP's SDK use. */
export type LoginFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface LoginHttpOptions {
  /** The name of the server. */
  readonly server: string;
  /** The address of the settings. */
  readonly url: string;
  readonly network: NetworkSettings;
  readonly clock: Clock;
  readonly signal: AbortSignalLike;
}

export interface LoginHttp {
  readonly fetch: LoginFetch;
  close(): Promise<void>;
}

const MAX_BYTES = 262_144;
const TIMEOUT_MS = 20_000;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const KEPT_HEADERS = ['content-type', 'location', 'www-authenticate'] as const;
/** Of `fetch`, for addresses that were checked already. */
const METHODS = { GET: 'GET', POST: 'POST' } as const;

/**
 * Requests to addresses that a server or its authorization server names. They may be on the public
 * internet, or be the host and port of the settings; a server on this machine may name others here.
 */
export function createLoginHttp(options: LoginHttpOptions): LoginHttp {
  const { server, network, clock, signal } = options;
  const own = new URL(options.url);
  const { host, port } = readTarget(own.href);
  const guarded = createHttp({
    network: {
      ...network,
      allowPrivate: [...(network.allowPrivate ?? []), hostAndPort(host, port)],
    },
    guard: 'public',
    clock,
  });
  const here = isLoopbackHost(own.hostname)
    ? createHttp({ network: { ...network, reach: 'this_machine' }, guard: 'configured', clock })
    : undefined;

  async function send(address: string, init: RequestInit, late: AbortSignalLike) {
    const http = here && isLoopbackHost(new URL(address).hostname) ? here : guarded;
    const body = init.body === undefined || init.body === null ? undefined : textOf(init.body);
    const headers = Object.fromEntries(new Headers(init.headers));
    const response = await http.send({
      method: METHODS[init.method === 'POST' ? 'POST' : 'GET'],
      url: address,
      headers: { accept: 'application/json', 'user-agent': `exai/${VERSION}`, ...headers },
      ...(body !== undefined && { body }),
      signal: late,
    });
    const text = await response.text(MAX_BYTES);
    const { status } = response;
    if (status < 200 || status > 599) throw failed(server, `the server answers ${status}`);
    const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = response.headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    return new Response(NO_BODY.has(status) ? null : text, { status, headers: kept });
  }

  return {
    async fetch(url, init = {}) {
      const address = String(url);
      requireSafeAddress(server, address, options.url);
      const late = new LightAbortController();
      const timer = clock.after(TIMEOUT_MS, () =>
        late.abort(
          new CallError('timeout', `${new URL(address).host} did not answer in 20 seconds.`),
        ),
      );
      const leave = () => late.abort(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await send(address, init, late);
      } catch (thrown) {
        const { class: errorClass, message, fix } = CallError.from(thrown);
        throw codedError(errorClass, reason('server_login_failed', { server, problem: message }), {
          ...(fix !== undefined && { fix }),
        });
      } finally {
        timer.stop();
        signal.removeEventListener('abort', leave);
      }
    },
    async close() {
      await Promise.all([guarded.close(), here?.close()]);
    },
  };
}

function textOf(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only texts and forms are sent.');
}

function failed(server: string, problem: string): CallError {
  return codedError('bad_response', reason('server_login_failed', { server, problem }));
}

/**
 * Tokens and codes travel encrypted: https, or http on this machine where the server is on it, too.
 */
export function requireSafeAddress(server: string, address: string, serverUrl: string): void {
  if (isUrl(address)) {
    const { protocol, hostname, username, password } = new URL(address);
    const isPlain = username === '' && password === '';
    if (protocol === 'https:' && isPlain) return;
    const isHere = isLoopbackHost(hostname) && isLoopbackHost(new URL(serverUrl).hostname);
    if (protocol === 'http:' && isPlain && isHere) return;
    // The address of the settings itself is as safe as the user chose it.
    if (protocol === 'http:' && isPlain && new URL(serverUrl).origin === new URL(address).origin)
      return;
  }
  throw failed(server, 'an address of the authorization server is not https');
}
