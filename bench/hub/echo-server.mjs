// An MCP server that answers with what it was sent, by hand, over stdio, or over HTTP on PORT: what
// is measured is what stands before it.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const TOOLS = ['echo', 'change'].map((name) => ({
  name,
  description: 'Answers with its argument.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: name === 'echo' },
}));

function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const result = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' },
    }),
    'tools/list': () => ({ tools: TOOLS }),
    'tools/call': () => ({ content: [{ type: 'text', text: params.arguments.text }] }),
    ping: () => ({}),
  }[method];
  if (result) return { jsonrpc: '2.0', id, result: result() };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown method' } };
}

if (process.env.PORT === undefined) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
} else {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const reply = answer(JSON.parse(Buffer.concat(chunks).toString()));
      if (!reply) return void response.writeHead(202).end();
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 'one' };
      response.writeHead(200, headers).end(JSON.stringify(reply));
    });
  });
  server.listen(Number(process.env.PORT), '127.0.0.1', () =>
    console.log(`listening on http://127.0.0.1:${server.address().port}`),
  );
}
