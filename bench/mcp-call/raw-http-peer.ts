// The floor: an HTTP server that reads each request and answers it by hand, with nothing between.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const { id } = JSON.parse(body) as { id?: number };
    if (id === undefined) {
      response.statusCode = 202;
      response.end();
      return;
    }
    const result = { content: [{ type: 'text', text: 'ok' }] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
