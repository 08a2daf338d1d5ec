// The floor: a WebSocket server that reads each request and answers it by hand, with nothing
// between.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const { id } = JSON.parse(data.toString()) as { id?: number };
    if (id === undefined) return;
    const result = { content: [{ type: 'text', text: 'ok' }] };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
});
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
