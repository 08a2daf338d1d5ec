import { isUtf8 } from 'node:buffer';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Arriving, Holding } from './arriving.ts';
import type { Exchange } from './endpoint.ts';
import { peerOf } from './peer.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** The setting that says so. */
  readonly setting: 'door.maxBodyBytes' | 'gateway.maxBodyBytes';
  /** The memory of all bodies that are not whole yet, by who sends them; shared by everybody who reads them. */
  readonly arriving: Arriving;
}

const FIRST_BYTES = 4096;
const RETRY_AFTER_MS = 1000;
const NOTHING = Buffer.alloc(0);

/**
 * The text of a request. `then` is called once, with the text or with what is wrong with it; never when the client has
 * hung up in the middle.
 */
export function readBody(
  exchange: Exchange,
  principal: string,
  limits: BodyLimits,
  then: (body: string | CallError) => void,
): void {
  const { request } = exchange;
  const { maxBytes } = limits;
  const said = Number(request.headers['content-length']);
  if (said > maxBytes) return then(tooLarge(limits));
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return then(CODED);

  // What comes in one piece is taken as it is. Pieces are copied together: each is an object that keeps alive the much
  // larger memory it was read into, so a body of tiny ones would cost hundreds of times its size.
  let whole: Buffer | undefined;
  let memory = NOTHING;
  let length = 0;
  let isOver = false;
  let holding: Holding | undefined;

  const hold = () =>
    limits.arriving.hold({
      principal,
      peer: peerOf(request.socket.remoteAddress),
      received: () => request.socket.bytesRead,
      cut() {
        finish();
        exchange.expire?.();
      },
    });
  const grow = (needed: number) => {
    const wanted = Math.max(FIRST_BYTES, memory.length * 2);
    const size = Math.max(needed, Math.min(wanted, said >= 0 ? said : maxBytes));
    holding ??= hold();
    if (!holding.take(size - memory.length)) return false;
    const larger = Buffer.allocUnsafeSlow(size);
    memory.copy(larger, 0, 0, length);
    memory = larger;
    return true;
  };
  const finish = (body?: string | CallError) => {
    if (isOver) return;
    isOver = true;
    holding?.release();
    memory = NOTHING;
    whole = undefined;
    // Whoever was told that its time is over waits for nothing more.
    if (body !== undefined && exchange.isOpen) then(body);
  };
  const refuse = (error: CallError) => {
    request.removeAllListeners('data');
    finish(error);
    // The rest is let run through: an answer to somebody who is still sending might be lost otherwise.
    request.resume();
  };
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    const needed = length + chunk.length;
    if (needed > maxBytes) return refuse(tooLarge(limits));
    if (chunk.length === said) whole = chunk;
    else {
      if (needed > memory.length && !grow(needed)) return refuse(busy());
      chunk.copy(memory, length);
    }
    length = needed;
  });
  request.on('end', () => {
    const body = whole ?? memory.subarray(0, length);
    finish(isUtf8(body) ? body.toString() : NOT_UTF8);
  });
  // What was said of the connection itself is heard by the listener.
  request.on('error', () => finish());
  request.on('close', () => finish());
}

/** HTTP has its own status for this one. */
export const CODED = new CallError('bad_request', 'Content-Encoding is not supported.', {
  field: 'content-encoding',
  fix: 'Send the body as it is, without compressing it.',
});

export const NOT_UTF8 = new CallError('bad_request', 'The body is not UTF-8.', {
  field: 'body',
  fix: 'Send the JSON as UTF-8.',
});

function tooLarge({ maxBytes, setting }: BodyLimits): CallError {
  return new CallError('too_large', `The body is larger than ${maxBytes} bytes.`, {
    field: 'body',
    fixes: [fix('send_less'), fix('raise_setting', { settings: [setting] })],
  });
}

function busy(): CallError {
  return new CallError('over_capacity', 'Too many requests are arriving at once.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
