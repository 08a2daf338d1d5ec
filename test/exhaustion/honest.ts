import { once } from 'node:events';
import { WebSocket } from 'ws';

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'honest', version: '1' },
  },
});

/** A client that says hello on a WebSocket and asks for its health: whether it was answered. */
export async function honestOverWs(url: string, token: string): Promise<boolean> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  try {
    await once(ws, 'open');
    ws.send(JSON.stringify({ op: 'hello', token }));
    const [ack] = (await once(ws, 'message')) as [Buffer];
    ws.send(JSON.stringify({ op: 'health' }));
    const [health] = (await once(ws, 'message')) as [Buffer];
    return ack.toString().includes('"ok":true') && health.toString().includes('health_res');
  } finally {
    ws.terminate();
  }
}

/** A client that opens a session over HTTP: the status it is told. */
export async function honestOverHttp(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    body: BODY,
  });
  await response.text();
  return response.status;
}
