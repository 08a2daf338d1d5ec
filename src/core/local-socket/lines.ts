import { CallError } from '../call-error.ts';
import { fix } from '../messages/fixes.ts';

export interface Lines {
  push(chunk: Uint8Array): void;
  /** Nothing follows, so what has no end yet is a line as it is. */
  end(): void;
  /** Throws away the line that has no end yet, and refuses it as `timeout`. */
  drop(): void;
}

export interface LineOptions {
  /** A longer line is refused and skipped. */
  readonly maxBytes: number;
  /** A line without its end; empty ones are never told. */
  readonly onLine: (text: string) => void;
  /** A line that was refused: `too_large`, or `bad_request` when it is not UTF-8. The next one is read as ever. */
  readonly onRefused: (error: CallError) => void;
  /** Where the memory of lines that have no end yet is counted; a line that finds no room is refused and skipped. */
  readonly holding?: LineMemory;
}

export interface LineMemory {
  /** Takes so many bytes more, or none: whether there is room. */
  take(bytes: number): boolean;
  /** Gives everything back. */
  release(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const FIRST_ROOM = 4096;
const NOTHING = Buffer.alloc(0);

/**
 * Bytes as they arrive, cut into lines. What has no end yet is copied into room that doubles, so that a line in many
 * small pieces costs neither quadratic time nor an object for each; a character split between pieces is whole again.
 */
export function createLines({ maxBytes, onLine, onRefused, holding }: LineOptions): Lines {
  let held: Buffer | undefined;
  let heldBytes = 0;
  let skipping = false;

  function tell(bytes: Buffer): void {
    const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
    if (end === 0) return;
    if (end > maxBytes) return onRefused(tooLong(maxBytes));
    const line = bytes.subarray(0, end);
    const text = decode(line);
    if (text !== undefined) onLine(text);
    else onRefused(new CallError('bad_request', 'A line is not valid UTF-8 and was left out.'));
  }

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const needed = heldBytes + bytes.length;
    // One more than allowed, for the return of a CRLF.
    if (needed > maxBytes + 1) return skip(tooLong(maxBytes));
    if (held === undefined || held.length < needed) {
      const size = roomFor(needed, held?.length ?? FIRST_ROOM, maxBytes + 1);
      if (holding?.take(size - (held?.length ?? 0)) === false) return skip(NO_ROOM);
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

  /** The rest of a line, up to its end. */
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

/** The text; nothing when the bytes are not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // Invalid bytes become U+FFFD; where the line had that character itself, the text encodes to the same bytes.
  if (text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes)) return undefined;
  return text;
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
