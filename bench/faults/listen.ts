import { request } from 'node:http';
import type { Dialect } from '../gateway/asks.ts';
import { PATHS, type Target } from '../gateway/load-protocol.ts';
import { QUESTION } from './story.ts';

export type Delivery = 'stream' | 'whole';

/** What a client got that waited for so long. */
export interface Received {
  /** 0 where not even a head came. */
  readonly status: number;
  readonly body: string;
  readonly ended: 'well' | 'cut' | 'not at all';
  readonly afterMs: number;
}

/** Four times what the gateways are told to wait for a vendor. */
const PATIENCE_MS = 12_000;

export function listen(target: Target, delivery: Delivery): Promise<Received> {
  const { port, dialect, headers } = target;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let status = 0;
    let body = '';
    const asking = request({
      port,
      host: '127.0.0.1',
      agent: false,
      method: 'POST',
      path: PATHS[dialect],
      headers: { 'content-type': 'application/json', ...headers },
    });
    const end = (ended: Received['ended']) => {
      clearTimeout(timer);
      asking.destroy();
      resolve({ status, body, ended, afterMs: performance.now() - startedAt });
    };
    const timer = setTimeout(() => end('not at all'), PATIENCE_MS);
    asking.on('error', () => end('cut'));
    asking.on('response', (answer) => {
      status = answer.statusCode ?? 0;
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => (body += text));
      answer.on('end', () => end('well'));
      answer.on('error', () => end('cut'));
    });
    asking.end(JSON.stringify(BODIES[dialect](delivery)));
  });
}

const MODEL = 'kimi-k2.6';
const MESSAGES = [{ role: 'user', content: QUESTION }];

const BODIES: Record<Dialect, (delivery: Delivery) => object> = {
  openai: (delivery) => ({ model: MODEL, messages: MESSAGES, stream: delivery === 'stream' }),
  anthropic: (delivery) => ({
    model: MODEL,
    max_tokens: 1024,
    messages: MESSAGES,
    stream: delivery === 'stream',
  }),
};
