import type { ConnectOptions } from '#client/connect-to-daemon.ts';

/**
 * Loads the WebSocket connection for `reachDaemon` on demand, because most clients never need it.
 */
export const loadWebSocket: ConnectOptions['loadWebSocket'] = () => import('./connect-over-ws.ts');
