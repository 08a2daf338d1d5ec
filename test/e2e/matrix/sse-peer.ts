import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { createEventReader, type StreamEvent } from './event-reader.ts';
import type { Ear, OpenWire, Wire } from './peer.ts';
import type { Message } from './rpc.ts';

const ACCEPTED = 202;

/**
 * The transport of 2024: one stream for everything that is heard, and a request for each thing that
 * is said.
 */
export function overSse(url: string, token?: string): OpenWire {
  return (ear) => openSseWire(url, ear, token);
}

async function openSseWire(url: string, ear: Ear, token: string | undefined): Promise<Wire> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const listening = request(`${url}/sse`, {
    agent: false,
    headers: { ...headers, accept: 'text/event-stream' },
  });
  listening.end();
  const [stream] = (await once(listening, 'response')) as [IncomingMessage];
  if (stream.statusCode !== 200) throw new Error(`GET /sse got ${stream.statusCode}`);
  // What is said must arrive in the order it was said.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const address = await new Promise<string>((resolve) => {
    const read = createEventReader(({ event, data }: StreamEvent) => {
      if (event === 'endpoint') resolve(new URL(data, url).href);
      else if (event === 'message' && data !== '') ear.hear(JSON.parse(data) as Message);
    });
    stream.setEncoding('utf8').on('data', (piece: string) => read(piece));
    // It breaks off when either side leaves.
    stream.once('error', () => {});
  });

  async function post(text: string): Promise<{ readonly status: number; readonly body: string }> {
    const said = request(address, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    said.end(text);
    const [response] = (await once(said, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode ?? 0, body };
  }

  async function send(message: Message): Promise<void> {
    const { status, body } = await post(JSON.stringify({ jsonrpc: '2.0', ...message }));
    if (status !== ACCEPTED) throw new Error(`${message.method} got ${status}: ${body}`);
  }

  async function leave(): Promise<void> {
    listening.destroy();
    agent.destroy();
  }

  return {
    send,
    async cancel(requestId) {
      await send({ method: 'notifications/cancelled', params: { requestId } });
      ear.ended(requestId);
    },
    async say(text) {
      const { status, body } = await post(text);
      if (status !== ACCEPTED) return { message: JSON.parse(body) as Message };
      return { message: await ear.strays.next(`an answer to ${text}`, () => true) };
    },
    listen: async () => {},
    close: leave,
    vanish: leave,
  };
}
