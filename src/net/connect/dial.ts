import { isIP, type Socket } from 'node:net';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import type { HttpOptions } from '../create-http.ts';
import { toNetworkCallError } from '../network-errors.ts';
import { ALLOW_FIX, isAllowed } from '../ssrf/check-url.ts';
import { checkAddress } from '../ssrf/check-address.ts';
import type { Destination } from '../target.ts';
import type { ChooseProxy, Proxy } from './choose-proxy.ts';
import {
  connectTcp,
  createConnectTls,
  openTunnel,
  rejectOnAbort,
  systemResolve,
  type Address,
} from './open-socket.ts';

/** Opens a connection that is ready for HTTP. The signal aborts the attempt. */
export type Dial = (to: Destination, signal: AbortSignalLike) => Promise<Socket>;

export function createDial({
  network,
  guard,
  chooseProxy,
  resolve = systemResolve,
  tunnel = 'needed',
}: Pick<HttpOptions, 'network' | 'guard' | 'resolve'> & {
  chooseProxy: ChooseProxy;
  /** Proxies forward plain HTTP without a tunnel; other protocols always need one. */
  tunnel?: 'needed' | 'always';
}): Dial {
  const { extraCa, allowPrivate = [] } = network;
  const connectTls = createConnectTls(extraCa);

  async function addressesOf(host: string, signal: AbortSignalLike): Promise<readonly Address[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    return await rejectOnAbort(resolve(host), signal);
  }

  /**
   * Resolves and checks the addresses to connect to. Connecting uses exactly these, so the name
   * cannot resolve to something else in between (DNS rebinding).
   */
  async function checkedAddresses(to: Destination, signal: AbortSignalLike) {
    const addresses = await addressesOf(to.host, signal);
    if (network.reach === 'this_machine') requireLoopback(addresses, to);
    if (guard === 'public' && !isAllowed(to, allowPrivate)) {
      for (const { address } of addresses) refuseUnlessPublic(address, to);
    }
    return addresses;
  }

  async function direct(to: Destination, signal: AbortSignalLike): Promise<Socket> {
    const socket = await connectTcp(await checkedAddresses(to, signal), to.port, signal);
    return to.protocol === 'https:' ? await connectTls(socket, to.host, signal) : socket;
  }

  async function reachProxy(proxy: Proxy, signal: AbortSignalLike): Promise<Socket> {
    try {
      const socket = await connectTcp(await addressesOf(proxy.host, signal), proxy.port, signal);
      return proxy.protocol === 'https:' ? await connectTls(socket, proxy.host, signal) : socket;
    } catch (error) {
      throw signal.aborted ? error : proxyFailure(error, proxy);
    }
  }

  async function tunnelled(
    to: Destination,
    proxy: Proxy,
    signal: AbortSignalLike,
  ): Promise<Socket> {
    const [checked] = guard === 'public' ? await checkedAddresses(to, signal) : [];
    const socket = await reachProxy(proxy, signal);
    try {
      await openTunnel(socket, proxy, { host: checked?.address ?? to.host, port: to.port }, signal);
    } catch (error) {
      socket.destroy();
      throw signal.aborted ? error : proxyFailure(error, proxy);
    }
    return to.protocol === 'https:' ? await connectTls(socket, to.host, signal) : socket;
  }

  return async (to, signal) => {
    const proxy = network.reach === 'this_machine' ? undefined : chooseProxy(to);
    if (!proxy) return await direct(to, signal);
    const isForwarded = to.protocol === 'http:' && guard !== 'public' && tunnel === 'needed';
    if (!isForwarded) return await tunnelled(to, proxy, signal);
    return await reachProxy(proxy, signal);
  };
}

/** Adds the proxy's setting to a failure, because the caller did not choose the proxy. */
function proxyFailure(error: unknown, { label, field }: Proxy): CallError {
  const variable = field === 'network.httpProxy' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
  return CallError.from(toNetworkCallError(error, { proxy: label }), {
    field,
    fixes: [
      fix('correct_setting', { setting: field, variable }),
      fix('unset_setting', { setting: field }),
    ],
  });
}

/** A name such as `localhost` may be mapped to another machine. */
function requireLoopback(addresses: readonly Address[], { label }: Destination): void {
  if (addresses.every(({ address }) => isLoopbackHost(address))) return;
  throw codedError('not_configured', reason('offline', { host: label }), {
    fixes: [fix('unset_setting', { setting: 'network.offline', variable: 'EXAI_OFFLINE' })],
  });
}

/** The message does not name the address: addresses of an intranet are not disclosed. */
function refuseUnlessPublic(address: string, { host, label }: Destination): void {
  const checked = checkAddress(address);
  if (checked.verdict === 'public') return;
  const leads = host === address ? 'is' : 'leads to';
  throw new CallError('permission', `${label} ${leads} ${checked.because}.`, {
    fixes: [ALLOW_FIX],
  });
}
