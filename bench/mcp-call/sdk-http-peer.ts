// What one gets over HTTP by following the SDK's manual, and the cheapest that it can be made, in
// both eras.
import {
  createMcpHandler,
  McpServer,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { toListener, toParsedListener, type WebHandler } from './web-listener.ts';

const INFO = { name: 'plain', version: '1' };
const ANSWER = { content: [{ type: 'text' as const, text: 'ok' }] };
const inputSchema = z.object({ model: z.string().optional() });
const KINDS: Record<string, () => RequestListener> = {
  'sessions-sse': () => toListener(serveSessions('sse')),
  'sessions-json': () => toListener(serveSessions('json')),
  modern: () => toListener(createMcpHandler(createHighLevel).fetch),
  'modern-lean': () => {
    const { fetch } = createMcpHandler(createLowLevel, { responseMode: 'json' });
    return toParsedListener((request, parsedBody) => fetch(request, { parsedBody }));
  },
};

function createHighLevel(): McpServer {
  const server = new McpServer(INFO);
  server.registerTool('version', { description: 'The version.', inputSchema }, () => ANSWER);
  return server;
}

function createLowLevel(): Server {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', ({ params }) => {
    inputSchema.parse(params.arguments);
    return ANSWER;
  });
  return server;
}

/** A server for each session, kept by its id. */
function serveSessions(answers: 'sse' | 'json'): WebHandler {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: answers === 'json',
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createHighLevel().connect(transport);
    return transport.handleRequest(request);
  };
}

const [, , kind = ''] = process.argv;
const serve = KINDS[kind];
if (!serve) throw new Error(`"${kind}" is none of ${Object.keys(KINDS).join(', ')}`);
const server = createServer(serve());
await once(server.listen(0, '127.0.0.1'), 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
