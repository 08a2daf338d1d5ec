import type { ServerResponse } from 'node:http';
import { sleep } from './machine.ts';
import type { OpenRequest } from './requests.ts';
import { createSse, inBandError } from './sse.ts';
import type { Ask, Fault, Headers, Reply, SseWriter } from './vendor.ts';
import { createWire } from './wire.ts';

export const MARK = { 'x-emulator': 'exai' } as const;

const WRITTEN = Promise.resolve();

export interface ReplyOptions {
  readonly ask: Ask;
  readonly res: ServerResponse;
  readonly entry: OpenRequest;
  /** A fault of the frame's that is to happen to this answer. */
  readonly fault: Fault | undefined;
  readonly chunkMs: number;
}

/**
 * The one place that answers: whatever a vendor says leaves through it, with the faults of
 * transport.
 */
export class WrittenReply implements Reply {
  readonly #options: ReplyOptions;

  constructor(options: ReplyOptions) {
    this.#options = options;
  }

  json(status: number, body: unknown, headers?: Headers): Promise<void> {
    const { ask, res, entry, fault } = this.#options;
    if (fault === undefined && !res.destroyed && ask.method !== 'HEAD') {
      // The way of nearly every answer, without a detour.
      const text = JSON.stringify(body);
      entry.status = status;
      res.writeHead(status, {
        'content-type': 'application/json',
        ...headers,
        'content-length': Buffer.byteLength(text),
        'x-emulator': MARK['x-emulator'],
      });
      res.end(text);
      return WRITTEN;
    }
    const shown = fault?.id === 'F11.error' && status < 300 ? inBandError(fault) : body;
    return this.raw(status, JSON.stringify(shown), {
      'content-type': 'application/json',
      ...headers,
    });
  }

  async raw(status: number, body: string | Buffer, headers: Headers): Promise<void> {
    const { ask, res, entry, fault } = this.#options;
    if (fault?.id === 'slow') await sleep(Number(fault.with?.['firstMs'] ?? 0), ask.gone);
    if (res.destroyed) return;
    entry.status = status;
    if (fault !== undefined) return sendFaulty(res, status, Buffer.from(body), headers, fault);
    res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), ...MARK });
    res.end(ask.method === 'HEAD' ? undefined : body);
  }

  sse(headers?: Headers): SseWriter {
    const { ask, res, entry, fault, chunkMs } = this.#options;
    entry.status = 200;
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      ...headers,
      ...MARK,
    });
    const isSlow = fault?.id === 'slow';
    return createSse(res, {
      fault,
      firstMs: isSlow ? Number(fault.with?.['firstMs'] ?? 0) : 0,
      chunkMs: isSlow ? Number(fault.with?.['chunkMs'] ?? 20) : chunkMs,
      gone: () => ask.gone,
    });
  }
}

async function sendFaulty(
  res: ServerResponse,
  status: number,
  body: Buffer,
  headers: Headers,
  fault: Fault,
): Promise<void> {
  const wire = createWire(res);
  const half = body.subarray(0, Math.ceil(body.length / 2));
  const begin = (length: number | undefined): void => {
    res.writeHead(status, {
      ...headers,
      ...(length === undefined ? {} : { 'content-length': length }),
      ...MARK,
    });
  };
  switch (fault.id) {
    case 'F5.headers':
      begin(body.length);
      res.flushHeaders();
      return;
    case 'F5.stall':
      begin(body.length);
      return wire.flush(half);
    case 'F5.cut':
    case 'F5.cutbody':
      begin(body.length);
      await wire.flush(half);
      wire.destroy();
      return;
    case 'F5.end':
      begin(undefined);
      res.end(half);
      return;
    case 'F5.lengthlong':
      begin(body.length + 10);
      await wire.flush(body);
      wire.destroy();
      return;
    case 'F5.lengthshort':
      begin(Math.max(0, body.length - 10));
      res.end(body);
      return;
    case 'F6.split':
      begin(body.length);
      await wire.trickle(body);
      res.end();
      return;
    case 'F6.bom':
      begin(body.length + 3);
      res.end(Buffer.concat([Buffer.from('\uFEFF'), body]));
      return;
    case 'F6.malformed':
      begin(half.length);
      res.end(half);
      return;
    default:
      begin(body.length);
      res.end(body);
  }
}
