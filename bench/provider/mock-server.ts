// A vendor that answers from memory: one JSON text, or 103 events. What it costs falls on nobody's
// bill.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHUNKS, eventTexts, jsonText } from './answers.ts';

const JSON_ANSWER = Buffer.from(jsonText());
const EVENTS = [...eventTexts(CHUNKS)].map((text) => Buffer.from(text));

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (req, res) => {
  read(req, (body, size) => {
    if (req.url?.endsWith('/files')) return void res.end(fileText(size));
    const chunks = /chunks (\d+)/.exec(body)?.[1];
    if (!body.includes('"stream":true')) return whole(res);
    if (body.includes('one by one')) return void oneByOne(res);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    if (chunks === undefined) burst(res);
    else void long(res, Number(chunks));
  });
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

/** The head of the body is enough to tell what is wanted. */
function read(req: IncomingMessage, then: (head: string, size: number) => void): void {
  let head = '';
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    if (size < 4096) head += chunk.toString('latin1');
    size += chunk.length;
  });
  req.on('end', () => then(head, size));
}

function whole(res: ServerResponse): void {
  res.writeHead(200, {
    'content-type': 'application/json',
    'content-length': JSON_ANSWER.length,
    'msh-request-id': 'req-0123456789',
  });
  res.end(JSON_ANSWER);
}

/** Everything at once: each event is a chunk of its own, and many of them share a packet. */
function burst(res: ServerResponse): void {
  for (const event of EVENTS) res.write(event);
  res.end();
}

/** As a model really speaks: each event in its own packet. */
async function oneByOne(res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of EVENTS) {
    res.write(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  res.end();
}

async function long(res: ServerResponse, chunks: number): Promise<void> {
  for (const event of eventTexts(chunks)) {
    if (!res.write(event)) await once(res, 'drain');
  }
  res.end();
}

function fileText(size: number): string {
  return JSON.stringify({
    id: 'f1',
    object: 'file',
    bytes: size,
    created_at: 1_788_300_000,
    filename: 'big.bin',
    purpose: 'file-extract',
    status: 'ok',
  });
}
