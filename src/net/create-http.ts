import { CallError } from '#core/errors/call-error.ts';
import type { Http } from '#core/net/http.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Resolve } from './connect/open-socket.ts';

/**
 * Where addresses come from. `configured`: the user's settings, which may point anywhere. `public`:
 * untrusted input, which may reach the public internet only.
 */
export type Guard = 'configured' | 'public';

export interface HttpOptions<G extends Guard = Guard> {
  readonly network: NetworkSettings;
  readonly guard: G;
  readonly clock: Clock;
  /** Per destination; default 64. */
  readonly maxConnections?: number;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

/** An HTTP client for addresses of that kind. */
export interface GuardedHttp<G extends Guard> extends Http {
  readonly guard: G;
  /** `host:port` of private destinations that are allowed. */
  readonly allowPrivate: readonly string[];
}

/**
 * Creates the HTTP client. Its implementation is loaded with the first request, because loading
 * takes a tenth of a second.
 */
export function createHttp<G extends Guard>(options: HttpOptions<G>): GuardedHttp<G> {
  let engine: Http | undefined;
  let loading: Promise<Http> | undefined;
  let closed = false;

  async function load(): Promise<Http> {
    const { createHttpClient } = await import('./http-client.ts');
    engine = await createHttpClient(options);
    return engine;
  }

  return {
    guard: options.guard,
    allowPrivate: options.network.allowPrivate ?? [],
    send(request) {
      if (closed) return Promise.reject(stoppingError());
      if (engine) return engine.send(request);
      loading ??= load();
      return loading.then((loaded) => {
        if (closed) throw stoppingError();
        return loaded.send(request);
      });
    },
    async close() {
      closed = true;
      await (await loading)?.close();
    },
  };
}

export function stoppingError(): CallError {
  return new CallError('interrupted', 'EX-AI is stopping; nothing is sent any more.');
}

/** Network settings from the configuration. An empty string means "none". */
export interface NetworkSettings {
  /** The proxy for http:// addresses, a URL that may contain a user and a password. */
  readonly httpProxy: string;
  /** The proxy for https:// addresses. */
  readonly httpsProxy: string;
  /** Destinations without a proxy, as in curl: names, suffixes, addresses, networks, `*`. */
  readonly noProxy: string;
  /** Additional trusted certificates, in PEM. */
  readonly extraCa: string;
  /** `host:port` of private destinations that are allowed. */
  readonly allowPrivate?: readonly string[];
  /** `this_machine`: only loopback addresses are reached, and without a proxy. Default: `any`. */
  readonly reach?: 'any' | 'this_machine';
}
