import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { OpenWire } from './peer.ts';
import { createSocketWire } from './socket-wire.ts';

/** MCP over a WebSocket, with the subprotocol of that name. */
export function overWs(url: string, token?: string): OpenWire {
  return async (ear) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, ['mcp'], { headers });
    const closed = once(socket, 'close');
    await once(socket, 'open');
    return createSocketWire(ear, {
      onText: (hear) => socket.on('message', (data: Buffer) => hear(data.toString())),
      write: (text) => socket.send(text),
      async close() {
        socket.close();
        await closed;
      },
      vanish: async () => socket.terminate(),
    });
  };
}
