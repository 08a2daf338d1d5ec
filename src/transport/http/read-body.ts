import { isUtf8 } from 'node:buffer';
import { CallError } from '#core/call-error.ts';
import type { Exchange } from './endpoint.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** What of all bodies together is here already; shared by everybody who reads them. */
  readonly arriving: { bytes: number };
}

// Slow senders may each keep a part here for as long as a request may take.
const MAX_ARRIVING_BYTES = 256 * 1024 * 1024;
const RETRY_AFTER_MS = 1000;

/**
 * The text of a request. `then` is called once, with the text or with what is wrong with it; never when the client has
 * hung up in the middle.
 */
export function readBody(
  { request }: Exchange,
  { maxBytes, arriving }: BodyLimits,
  then: (body: string | CallError) => void,
): void {
  const said = Number(request.headers['content-length']);
  if (said > maxBytes) return then(tooLarge(maxBytes));
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return then(CODED);

  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let bytes = 0;
  let isOver = false;

  const finish = (body?: string | CallError) => {
    if (isOver) return;
    isOver = true;
    arriving.bytes -= bytes;
    if (body === undefined) return;
    then(body);
  };
  const refuse = (error: CallError) => {
    request.removeAllListeners('data');
    first = more = undefined;
    finish(error);
    // The rest is let run through: an answer to somebody who is still sending might be lost otherwise.
    request.resume();
  };
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    bytes += chunk.length;
    arriving.bytes += chunk.length;
    if (bytes > maxBytes) return refuse(tooLarge(maxBytes));
    if (arriving.bytes > MAX_ARRIVING_BYTES) return refuse(busy());
    if (first === undefined) first = chunk;
    else (more ??= [first]).push(chunk);
  });
  request.on('end', () => {
    const body = more ? Buffer.concat(more, bytes) : first;
    if (body === undefined) return finish('');
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

function tooLarge(maxBytes: number): CallError {
  return new CallError('too_large', `The body is larger than ${maxBytes} bytes.`, {
    field: 'body',
    fix: 'Send less at once, or raise door.maxBodyBytes.',
  });
}

function busy(): CallError {
  return new CallError('over_capacity', 'Too many requests are arriving at once.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
