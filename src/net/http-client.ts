import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Http } from '#core/net/http.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import { allowListeners } from './timeouts.ts';
import { createDial } from './connect/dial.ts';
import { createProxyChoice } from './connect/choose-proxy.ts';
import type { HttpOptions } from './create-http.ts';
import { checkUrl } from './ssrf/check-url.ts';
import { createConnectionPool, type Pool } from './connection-pool.ts';
import { readTarget, type Target } from './target.ts';

const MAX_CONNECTIONS = 64;
/** Destinations whose idle connections are kept. */
const MAX_ORIGINS = 64;
const MAX_TARGETS = 512;

/** The implementation behind `createHttp`, with undici loaded. */
export async function createHttpClient(options: HttpOptions): Promise<Http> {
  const { Client } = await import('undici');
  const { network, guard, clock, maxConnections = MAX_CONNECTIONS } = options;
  const chooseProxy = createProxyChoice(network);
  const dial = createDial({ ...options, chooseProxy });
  const targets = createBoundedMap<string, Target>({ maxEntries: MAX_TARGETS });
  const pools = new Map<string, Pool>();

  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known) return known;
    const target = readTarget(url);
    if (network.reach === 'this_machine') refuseUnlessHere(target);
    if (guard === 'public') refuseUnlessPublic(target, network.allowPrivate ?? []);
    targets.set(url, target);
    return target;
  }

  function poolOf(target: Target): Pool {
    const known = pools.get(target.origin);
    if (known) return known;
    if (pools.size >= MAX_ORIGINS) dropIdle();
    const proxy = chooseProxy(target);
    // Over a proxy, http:// is forwarded without a tunnel, because many proxies refuse CONNECT for
    // it. Not for guarded requests: there the addresses have to be resolved and checked here.
    const forwarded = proxy !== undefined && target.protocol === 'http:' && guard !== 'public';
    const pool = createConnectionPool(target, {
      Client,
      dial,
      clock,
      maxConnections,
      pathPrefix: forwarded ? target.origin : '',
      proxyAuthorization: forwarded ? proxy.authorization : undefined,
    });
    pools.set(target.origin, pool);
    return pool;
  }

  function dropIdle(): void {
    for (const [origin, pool] of pools) {
      if (!pool.isIdle) continue;
      pools.delete(origin);
      void pool.close(CLOSED);
      return;
    }
  }

  return {
    send(request) {
      const { signal, url } = request;
      if (signal.aborted) return Promise.reject(signal.reason);
      try {
        const target = targetOf(url);
        allowListeners(signal);
        return poolOf(target).send(request, target);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map((pool) => pool.close(CLOSED)));
    },
  };
}

const CLOSED = new CallError('interrupted', 'EX-AI is stopping, so the exchange was cut off.');

/** No name is looked up: a lookup would leave the machine, too. */
function refuseUnlessHere({ host, label }: Target): void {
  if (isLoopbackHost(host)) return;
  throw codedError('not_configured', reason('offline', { host: label }), {
    fixes: [fix('unset_setting', { setting: 'network.offline', variable: 'EXAI_OFFLINE' })],
  });
}

function refuseUnlessPublic(target: Target, allowPrivate: readonly string[]): void {
  const checked = checkUrl(target.url, { allowPrivate });
  if (checked.verdict !== 'refused') return;
  throw new CallError('permission', checked.because, { fixes: [checked.fix] });
}
