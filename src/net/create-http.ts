import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Http } from '#core/http.ts';
import type { Resolve } from './connect/resolve.ts';
import type { NetworkSettings } from './network-settings.ts';

/**
 * Whose addresses are asked for. `configured`: the user's own settings, which may lead anywhere. `public`: whatever
 * came from outside, which may lead to the public internet only.
 */
export type Guard = 'configured' | 'public';

export interface HttpOptions<G extends Guard = Guard> {
  readonly network: NetworkSettings;
  readonly guard: G;
  readonly clock: Clock;
  /** For each destination; 64 unless told. */
  readonly maxConnections?: number;
  /** The system's unless told. */
  readonly resolve?: Resolve;
}

/** What may be handed addresses of that kind. */
export interface GuardedHttp<G extends Guard> extends Http {
  readonly guard: G;
  /** `host:port` of places that are not public and may be reached all the same. */
  readonly allowPrivate: readonly string[];
}

/** The network. What it is made of is loaded with the first request, as that takes a tenth of a second. */
export function createHttp<G extends Guard>(options: HttpOptions<G>): GuardedHttp<G> {
  let engine: Http | undefined;
  let loading: Promise<Http> | undefined;
  let closed = false;

  async function load(): Promise<Http> {
    const { createEngine } = await import('./engine.ts');
    engine = await createEngine(options);
    return engine;
  }

  return {
    guard: options.guard,
    allowPrivate: options.network.allowPrivate ?? [],
    send(request) {
      if (closed) return Promise.reject(stopping());
      if (engine) return engine.send(request);
      loading ??= load();
      return loading.then((loaded) => {
        if (closed) throw stopping();
        return loaded.send(request);
      });
    },
    async close() {
      closed = true;
      await (await loading)?.close();
    },
  };
}

export function stopping(): CallError {
  return new CallError('interrupted', 'EX-AI is stopping; nothing is sent any more.');
}
