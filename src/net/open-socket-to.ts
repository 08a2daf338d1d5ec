import type { Socket } from 'node:net';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { createProxyChoice } from './connect/choose-proxy.ts';
import { createDial } from './connect/dial.ts';
import type { NetworkSettings } from './create-http.ts';
import { readTarget } from './target.ts';

/** Opens a socket to the host of a ws:// or wss:// address, ready for its handshake. */
export type OpenSocketTo = (url: string, signal: AbortSignalLike) => Promise<Socket>;

/** For protocols other than HTTP: proxy, certificates and offline mode are those of the settings. */
export function createOpenSocketTo(network: NetworkSettings): OpenSocketTo {
  const dial = createDial({
    network,
    guard: 'configured',
    chooseProxy: createProxyChoice(network),
    tunnel: 'always',
  });
  return (url, signal) => dial(readTarget(url.replace(/^ws/i, 'http')), signal);
}
