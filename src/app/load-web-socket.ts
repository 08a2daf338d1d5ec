import type { ReachOptions } from '#client/reach-daemon.ts';

/** For `reachDaemon`: the way over WebSocket, loaded when it is needed, as most clients never need it. */
export const loadWebSocket: ReachOptions['loadWebSocket'] = () => import('./reach-daemon-ws.ts');
