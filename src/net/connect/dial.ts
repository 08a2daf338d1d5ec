import { isIP, type Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import type { HttpOptions } from '../create-http.ts';
import { toCallError } from '../failure.ts';
import { isAllowed } from '../guard/allow-private.ts';
import { judgeAddress } from '../guard/judge-address.ts';
import { ALLOW_FIX } from '../guard/judge-url.ts';
import type { Destination } from '../target.ts';
import type { ChooseProxy, Proxy } from './choose-proxy.ts';
import { openTcp } from './open-tcp.ts';
import { createOpenTls } from './open-tls.ts';
import { openTunnel } from './open-tunnel.ts';
import { systemResolve, type Address } from './resolve.ts';
import { orAborted } from './until.ts';

/** A connection ready for HTTP. The signal ends the attempt. */
export type Dial = (to: Destination, signal: Cancel) => Promise<Socket>;

export function createDial({
  network,
  guard,
  chooseProxy,
  resolve = systemResolve,
}: Pick<HttpOptions, 'network' | 'guard' | 'resolve'> & { chooseProxy: ChooseProxy }): Dial {
  const { extraCa, allowPrivate = [] } = network;
  const openTls = createOpenTls(extraCa);

  async function addressesOf(host: string, signal: Cancel): Promise<readonly Address[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    return await orAborted(resolve(host), signal);
  }

  /** What was looked at is what is connected to, so a name cannot change its mind in between. */
  async function checkedAddresses(to: Destination, signal: Cancel) {
    const addresses = await addressesOf(to.host, signal);
    if (guard === 'public' && !isAllowed(to, allowPrivate)) {
      for (const { address } of addresses) refuseUnlessPublic(address, to);
    }
    return addresses;
  }

  async function direct(to: Destination, signal: Cancel): Promise<Socket> {
    const socket = await openTcp(await checkedAddresses(to, signal), to.port, signal);
    return to.protocol === 'https:' ? await openTls(socket, to.host, signal) : socket;
  }

  async function reachProxy(proxy: Proxy, signal: Cancel): Promise<Socket> {
    try {
      const socket = await openTcp(await addressesOf(proxy.host, signal), proxy.port, signal);
      return proxy.protocol === 'https:' ? await openTls(socket, proxy.host, signal) : socket;
    } catch (error) {
      throw signal.aborted ? error : proxyFailure(error, proxy);
    }
  }

  async function tunnelled(to: Destination, proxy: Proxy, signal: Cancel): Promise<Socket> {
    const [checked] = guard === 'public' ? await checkedAddresses(to, signal) : [];
    const socket = await reachProxy(proxy, signal);
    try {
      await openTunnel(socket, proxy, { host: checked?.address ?? to.host, port: to.port }, signal);
    } catch (error) {
      socket.destroy();
      throw signal.aborted ? error : proxyFailure(error, proxy);
    }
    return to.protocol === 'https:' ? await openTls(socket, to.host, signal) : socket;
  }

  return async (to, signal) => {
    const proxy = chooseProxy(to);
    if (!proxy) return await direct(to, signal);
    if (to.protocol === 'https:' || guard === 'public') return await tunnelled(to, proxy, signal);
    return await reachProxy(proxy, signal);
  };
}

/** The proxy was not the caller's choice, so the failure names the setting it comes from. */
function proxyFailure(error: unknown, { label, field }: Proxy): CallError {
  const variable = field === 'network.httpProxy' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
  return CallError.from(toCallError(error, { proxy: label }), {
    field,
    fixes: [
      fix('correct_setting', { setting: field, variable }),
      fix('unset_setting', { setting: field }),
    ],
  });
}

/** The address is not named: what names of an intranet stand for is nobody's business outside. */
function refuseUnlessPublic(address: string, { host, label }: Destination): void {
  const judged = judgeAddress(address);
  if (judged.verdict === 'public') return;
  const leads = host === address ? 'is' : 'leads to';
  throw new CallError('permission', `${label} ${leads} ${judged.because}.`, { fixes: [ALLOW_FIX] });
}
