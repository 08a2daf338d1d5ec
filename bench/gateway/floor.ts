// The least that a gateway can be: node:http in, undici out, JSON parsed and written both ways,
// every event of a stream parsed and passed on in the piece it came in.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

interface Chat {
  readonly model: string;
  readonly stream?: boolean;
}

const [, , url = ''] = process.argv;
const pool = new Pool(url, { connections: 2048, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer sk-0123456789abcdef',
};

const server = createServer({ noDelay: true, keepAliveTimeout: 120_000 }, (req, res) => {
  read(req, (text) => {
    answer(JSON.parse(text) as Chat, res).catch((thrown: unknown) => {
      if (!res.destroyed) console.error(thrown);
      res.destroy();
    });
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 });
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

async function answer(chat: Chat, res: ServerResponse): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: HEADERS,
    body: JSON.stringify(chat),
  });
  if (chat.stream !== true) {
    const text = JSON.stringify(JSON.parse(await body.text()));
    res.writeHead(statusCode, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    res.end(text);
    return;
  }
  res.on('close', () => body.destroy());
  res.writeHead(statusCode, { 'content-type': 'text/event-stream' });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest = parseEvents(rest + decoder.decode(bytes as Uint8Array, { stream: true }));
    res.write(bytes);
  }
  res.end();
}

/** Gives back what is not a whole event yet. */
function parseEvents(text: string): string {
  let from = 0;
  for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n', from)) {
    const data = text.slice(from + 6, at);
    from = at + 2;
    if (data !== '[DONE]') JSON.parse(data);
  }
  return text.slice(from);
}

function read(req: IncomingMessage, then: (text: string) => void): void {
  let text = '';
  req.setEncoding('utf8');
  req.on('data', (chunk: string) => (text += chunk));
  req.on('end', () => then(text));
}
