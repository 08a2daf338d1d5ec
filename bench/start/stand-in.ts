import { createServer, type Server } from 'node:net';

/**
 * Answers a shim's hello and its `initialize` as a daemon does; nothing of the daemon itself is
 * measured here.
 */
export function standIn(socketFile: string, version: string): Promise<Server> {
  const welcome = { exai: 'welcome', version, instance: 'bench', replay: [], notices: [] };
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'exai', version },
  };
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const { exai, id, method } = JSON.parse(line) as Record<string, unknown>;
        if (exai === 'hello') socket.write(`${JSON.stringify(welcome)}\n`);
        if (method === 'initialize')
          socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
      }
    });
    // The shim is killed as soon as it has answered.
    socket.on('error', () => undefined);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketFile, () => resolve(server));
  });
}
