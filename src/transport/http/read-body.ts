import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { createTurnBudget, inOwnTurn } from '#core/turns.ts';
import { LARGE_BODY_BYTES } from '#core/large-json/parse-large-body.ts';
import type { ReceiveBuffers, BufferReservation } from './receive-buffers.ts';
import type { HttpContext } from './http-context.ts';
import { peerOf } from './peer-address.ts';

/** Limits for the size of request bodies. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** The setting of `maxBytes`, for the error message; absent where it is fixed. */
  readonly setting?: 'listener.maxBodyBytes' | 'gateway.maxBodyBytes';
  /** The memory for incomplete bodies, shared by all transports. */
  readonly receiveBuffers: ReceiveBuffers;
}

const FIRST_BYTES = 4096;
/** Each growth copies what is there, so it should be rare. */
const GROWTH = 4;
const RETRY_AFTER_MS = 1000;
/** Each larger body is read in its own turn of the event loop. */
const OWN_TURN_BYTES = 32_768;
/** Smaller chunks are copied. */
const KEPT_BYTES = 16_384;
const NOTHING = Buffer.alloc(0);
/** One body is gathered in a turn: that copies megabytes into memory that was not touched yet. */
const gathered = createTurnBudget(0);

/**
 * Reads the body of a request as text in UTF-8, or as its bytes if it is large. `then` is called one
 * time, with the body or an error; not at all if the client disconnects before the end.
 */
export function readBody(
  context: HttpContext,
  principal: string,
  limits: BodyLimits,
  then: (body: string | Buffer | CallError) => void,
): void {
  const { request } = context;
  const { maxBytes } = limits;
  const declared = Number(request.headers['content-length']);
  if (declared > maxBytes) return then(tooLarge(limits));
  if (isEncoded(request)) return then(UNSUPPORTED_ENCODING);

  // Large chunks are kept as they are. Small ones are copied into one buffer, because each keeps the
  // much larger buffer alive that it was read into: a body of tiny chunks would cost hundreds of
  // times its size.
  let kept: Buffer[] = [];
  let memory = NOTHING;
  let used = 0;
  // A large body of a declared length gets one buffer, so that it is not copied whole at its end.
  let whole: Buffer | undefined;
  let length = 0;
  let isOver = false;
  let isComplete = false;
  let holding: BufferReservation | undefined;

  const hold = () =>
    limits.receiveBuffers.open({
      principal,
      peer: peerOf(request.socket.remoteAddress),
      received: () => request.socket.bytesRead,
      drop() {
        finish();
        context.expire?.();
      },
    });
  /** Moves what has arrived into one buffer for all of it, once a quarter of it is there. */
  const gather = () => {
    if (whole || !(declared > LARGE_BODY_BYTES) || length * GROWTH < declared) return;
    // Of several at once, the others follow with their next chunks.
    if (gathered.isSpent()) return;
    holding ??= hold();
    // Where memory is short, the chunks are kept as they come.
    if (!holding.reserve(declared - length - (memory.length - used))) return;
    gathered.spend(1);
    whole = Buffer.allocUnsafeSlow(declared);
    let at = 0;
    for (const piece of [...kept, memory.subarray(0, used)]) at += piece.copy(whole, at);
    kept = [];
    memory = NOTHING;
    used = 0;
  };
  const keep = (chunk: Buffer) => {
    holding ??= hold();
    if (!holding.reserve(chunk.buffer.byteLength)) return false;
    if (used > 0) kept.push(memory.subarray(0, used));
    memory = NOTHING;
    used = 0;
    kept.push(chunk);
    return true;
  };
  const copy = (chunk: Buffer) => {
    const needed = used + chunk.length;
    if (needed > memory.length && !grow(needed)) return false;
    chunk.copy(memory, used);
    used = needed;
    return true;
  };
  const grow = (needed: number) => {
    const wanted = Math.max(FIRST_BYTES, memory.length * GROWTH);
    const left = (declared >= 0 ? declared : maxBytes) - length + used;
    const roomy = Math.max(needed, Math.min(wanted, left));
    const reservation = (holding ??= hold());
    // Where memory is short, no more than what has arrived.
    const size = [roomy, needed].find((each) => reservation.reserve(each - memory.length));
    if (size === undefined) return false;
    const larger = Buffer.allocUnsafeSlow(size);
    memory.copy(larger, 0, 0, used);
    memory = larger;
    return true;
  };
  const finish = (body?: string | Buffer | CallError) => {
    if (isOver) return;
    isOver = true;
    holding?.release();
    memory = NOTHING;
    kept = [];
    whole = undefined;
    // After a 408 there is no one to answer.
    if (body !== undefined && context.isOpen) then(body);
  };
  const refuse = (error: CallError) => {
    request.removeAllListeners('data');
    finish(error);
    // The rest is read and discarded: the response to a client that is still sending might be lost
    // otherwise.
    request.resume();
  };
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    const needed = length + chunk.length;
    if (needed > maxBytes) return refuse(tooLarge(limits));
    gather();
    if (whole) chunk.copy(whole, length);
    else if (chunk.length === declared) kept.push(chunk);
    else if (!(isKept(chunk) ? keep(chunk) : copy(chunk))) return refuse(outOfMemory());
    length = needed;
  });
  const complete = () => {
    if (isOver) return;
    if (used > 0) kept.push(memory.subarray(0, used));
    const [first = NOTHING] = kept;
    const body = whole ?? (kept.length > 1 ? Buffer.concat(kept, length) : first);
    if (!isUtf8(body)) finish(NOT_UTF8);
    else finish(body.length > LARGE_BODY_BYTES ? body : body.toString());
  };
  request.on('end', () => {
    isComplete = true;
    if (length < OWN_TURN_BYTES) complete();
    else inOwnTurn(complete);
  });
  // Errors of the connection itself are handled by the listener.
  request.on('error', () => finish());
  request.on('close', () => {
    if (!isComplete) finish();
  });
}

/** Whether a chunk is most of the buffer that it was read into. */
function isKept({ length, buffer }: Buffer): boolean {
  return length >= KEPT_BYTES && length * 2 >= buffer.byteLength;
}

/** Whether the body is compressed. */
export function isEncoded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'identity';
}

/** The error for compressed bodies. HTTP has a specific status for it. */
export const UNSUPPORTED_ENCODING = new CallError(
  'bad_request',
  'Content-Encoding is not supported.',
  {
    field: 'content-encoding',
    fix: 'Send the body as it is, without compressing it.',
  },
);

export const NOT_UTF8 = new CallError('bad_request', 'The body is not UTF-8.', {
  field: 'body',
  fix: 'Send the JSON as UTF-8.',
});

function tooLarge({ maxBytes, setting }: BodyLimits): CallError {
  return new CallError('too_large', `The body is larger than ${maxBytes} bytes.`, {
    field: 'body',
    fixes: [fix('send_less'), ...(setting ? [fix('raise_setting', { settings: [setting] })] : [])],
  });
}

function outOfMemory(): CallError {
  return new CallError('over_capacity', 'Too many requests are arriving at once.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
