import type { ReachOptions } from '#client/reach-daemon.ts';

/**
 * Loads the WebSocket connection for `reachDaemon` on demand, because most clients never need it.
 */
export const loadWebSocket: ReachOptions['loadWebSocket'] = () => import('./reach-daemon-ws.ts');
