import type { Hub } from '#core/hub/upstream.ts';
import type { PeerServer } from '../scan/peers.ts';

/** The servers of a hub with the tools that may be called, which a definition may imitate. */
export function peersOf(hub: Pick<Hub, 'upstreams'>): readonly PeerServer[] {
  return hub.upstreams().map((upstream) => ({
    server: upstream.name,
    tools: upstream.tools() ?? [],
  }));
}
