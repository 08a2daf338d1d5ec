// What one gets by following the SDK's manual: its high-level server with one tool, over its own
// entry, on a WebSocket.
import { McpServer, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import * as z from 'zod';

function createTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    start() {
      socket.on('message', (data: Buffer) =>
        transport.onmessage?.(JSON.parse(data.toString()) as JSONRPCMessage),
      );
      socket.on('close', () => transport.onclose?.());
      return Promise.resolve();
    },
    send: (message) => Promise.resolve(socket.send(JSON.stringify(message))),
    close: () => Promise.resolve(socket.close()),
  };
  return transport;
}

const inputSchema = z.object({ model: z.string().optional() });

function createServer(): McpServer {
  const server = new McpServer({ name: 'plain', version: '1' });
  server.registerTool('version', { description: 'The version.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'ok' }],
  }));
  return server;
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) =>
  serveStdio(createServer, { transport: createTransport(socket) }),
);
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
