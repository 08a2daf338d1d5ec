// A vendor that answers from memory, in OpenAI's shape. What it costs falls on nobody's bill.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHUNKS, eventTexts, jsonText } from '../provider/answers.ts';
import { askIn, type Ask } from './asks.ts';
import { stamp } from './stamps.ts';

const FIRST_WORD_MS = 20;
const NEXT_WORD_MS = 5;
const PACED_WORDS = 10;
/**
 * Events in a millisecond, over all streams that are open: the same for few streams as for many.
 */
const OPEN_EVENTS_PER_MS = 5;

const JSON_ANSWER = Buffer.from(jsonText());
const TEXTS = [...eventTexts(CHUNKS)];
const EVENTS = TEXTS.map((text) => Buffer.from(text));
const WORD = EVENTS[1] ?? Buffer.alloc(0);
const [FIRST, LAST] = [EVENTS.slice(0, 1), EVENTS.slice(-2)];

const server = createServer({ noDelay: true, keepAliveTimeout: 120_000 }, (req, res) => {
  if (req.method !== 'POST') return void res.end('{"object":"list","data":[]}');
  read(req, (body) => ANSWERS[askIn(body)](res));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 });
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const ANSWERS: Record<Ask, (res: ServerResponse) => void> = {
  whole(res) {
    res.writeHead(200, {
      'content-type': 'application/json',
      'content-length': JSON_ANSWER.length,
    });
    res.end(JSON_ANSWER);
  },
  burst(res) {
    openStream(res);
    for (const event of EVENTS) res.write(event);
    res.end();
  },
  paced: (res) => void speak(res),
  open(res) {
    openStream(res);
    for (const event of FIRST) res.write(event);
    res.write(WORD);
    keepOpen(res);
  },
};

function openStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
}

async function speak(res: ServerResponse): Promise<void> {
  const askedAt = process.hrtime.bigint();
  openStream(res);
  for (const event of FIRST) res.write(event);
  for (let n = 0; n < PACED_WORDS; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, n === 0 ? FIRST_WORD_MS : NEXT_WORD_MS));
    const word = stamp({ n, askedAt, writtenAt: process.hrtime.bigint() });
    res.write(TEXTS[1]?.replace(' lighthouse', word));
  }
  for (const event of LAST) res.write(event);
  res.end();
}

/** They get their words in turn. */
const ring: ServerResponse[] = [];
let next = 0;
let ticking: NodeJS.Timeout | undefined;

function keepOpen(res: ServerResponse): void {
  ring.push(res);
  res.on('close', () => {
    ring.splice(ring.indexOf(res), 1);
    if (ring.length > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  });
  ticking ??= startTicking();
}

function startTicking(): NodeJS.Timeout {
  let at = performance.now();
  let owed = 0;
  return setInterval(() => {
    const now = performance.now();
    owed = Math.min(owed + (now - at) * OPEN_EVENTS_PER_MS, 100 * OPEN_EVENTS_PER_MS);
    at = now;
    for (; owed >= 1 && ring.length > 0; owed -= 1) {
      next = (next + 1) % ring.length;
      ring[next]?.write(WORD);
    }
  }, 1);
}

function read(req: IncomingMessage, then: (body: string) => void): void {
  let body = '';
  req.setEncoding('latin1');
  req.on('data', (chunk: string) => (body += chunk));
  req.on('end', () => then(body));
}
