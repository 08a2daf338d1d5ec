import { CallError } from '../errors/call-error.ts';
import { fix } from '../messages/fixes.ts';

export interface Lines {
  push(chunk: Uint8Array): void;
  /** Ends the input; an unterminated rest is a line. */
  end(): void;
  /** Discards the incomplete line and reports it as `timeout`. */
  drop(): void;
}

export interface LineOptions {
  /** Longer lines are reported and skipped. */
  readonly maxBytes: number;
  /** A line without its terminator; empty lines are skipped. */
  readonly onLine: (text: string) => void;
  /** Takes longer lines as their bytes, which it has to check; absent: all are texts. */
  readonly large?: {
    readonly minBytes: number;
    readonly onLine: (bytes: Buffer) => void;
  };
  /**
   * A rejected line: `too_large`, or `bad_request` if it is not UTF-8. Reading continues with the
   * next one.
   */
  readonly onRefused: (error: CallError) => void;
  /** Shared memory budget of incomplete lines; a line that exceeds it is reported and skipped. */
  readonly holding?: LineMemory;
}

export interface LineMemory {
  /** Reserves bytes; false if there is no room. */
  reserve(bytes: number): boolean;
  /** Releases all reserved bytes. */
  release(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const FIRST_ROOM = 4096;
const NOTHING = Buffer.alloc(0);

/**
 * Splits a byte stream into lines. An incomplete line is copied into a buffer that doubles, so that
 * a line in many small pieces costs neither quadratic time nor an object for each; a character
 * split between pieces is whole again.
 */
export function createLines(options: LineOptions): Lines {
  const { maxBytes, onLine, large, onRefused, holding } = options;
  let held: Buffer | undefined;
  let heldBytes = 0;
  let skipping = false;

  function tell(bytes: Buffer): void {
    const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
    if (end === 0) return;
    if (end > maxBytes) return onRefused(tooLong(maxBytes));
    const line = bytes.subarray(0, end);
    if (large && end > large.minBytes) return large.onLine(line);
    const text = decode(line);
    if (text === undefined) onRefused(notUtf8Line());
    else onLine(text);
  }

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const needed = heldBytes + bytes.length;
    // One byte more, for the CR of a CRLF.
    if (needed > maxBytes + 1) return skip(tooLong(maxBytes));
    if (held === undefined || held.length < needed) {
      const size = roomFor(needed, held?.length ?? FIRST_ROOM, maxBytes + 1);
      if (holding?.reserve(size - (held?.length ?? 0)) === false) return skip(NO_ROOM);
      const room = Buffer.allocUnsafeSlow(size);
      held?.copy(room, 0, 0, heldBytes);
      held = room;
    }
    bytes.copy(held, heldBytes);
    heldBytes = needed;
  }

  function forget(): void {
    if (held !== undefined) holding?.release();
    held = undefined;
    heldBytes = 0;
  }

  function skip(error: CallError): void {
    forget();
    skipping = true;
    onRefused(error);
  }

  /** The rest of a line. */
  function finish(bytes: Buffer): void {
    if (heldBytes > 0) keep(bytes);
    const line = held?.subarray(0, heldBytes) ?? bytes;
    const skipped = skipping;
    forget();
    skipping = false;
    if (!skipped) tell(line);
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        finish(bytes.subarray(from, at));
        from = at + 1;
      }
      if (!skipping) keep(bytes.subarray(from));
    },
    end: () => finish(NOTHING),
    drop: () => skip(TOO_SLOW),
  };
}

/** The text; undefined if the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // Invalid bytes become U+FFFD; if the line contained that character itself, the text encodes to
  // the same bytes.
  if (text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  return text;
}

/** For a line whose bytes are not UTF-8. */
export function notUtf8Line(): CallError {
  return new CallError('bad_request', 'A line is not valid UTF-8 and was left out.');
}

const NO_ROOM = new CallError(
  'over_capacity',
  'Too many messages are arriving at once, and this one was left out.',
  { retryAfterMs: 1000 },
);

const TOO_SLOW = new CallError(
  'timeout',
  'A line arrived too slowly while others needed its memory, and was left out.',
  { fixes: [fix('retry')] },
);

function tooLong(maxBytes: number): CallError {
  return new CallError('too_large', `A line is longer than ${maxBytes} bytes and was left out.`);
}

function roomFor(needed: number, room: number, most: number): number {
  let size = room;
  while (size < needed) size *= 2;
  return Math.min(size, most);
}
