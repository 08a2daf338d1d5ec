import { JsonTooComplexError } from '#core/json/json-guard.ts';
import { LARGE_BODY_BYTES, parseLargeBody } from '#core/large-json/parse-large-body.ts';
import type { LinkHandlers } from './message-link.ts';
import { parseMessage } from './parse-message.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const MAX_NOISE_CHARS = 500;
/** Of a message that is too long, its ends are kept: they show the id of its request. */
const END_BYTES = 512;

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** A text that no server can know, to mark what is lifted out of large messages. */
  readonly newMark: () => string;
  readonly handlers: Pick<LinkHandlers, 'onMessage' | 'onOversized' | 'onNoise'>;
}

export interface LineReader {
  push(chunk: Buffer): void;
}

/**
 * Reads messages from lines of JSON. Large ones are parsed in steps, and the ones after them wait,
 * so that the order is kept.
 */
export function createLineReader({ maxBytes, newMark, handlers }: LineReaderOptions): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  /** Set while a large message is parsed: what comes after it. */
  let waiting: Buffer[] | undefined;

  function take(part: Buffer): void {
    if (part.length === 0) return;
    if (bytes <= maxBytes) parts.push(part);
    bytes += part.length;
    if (bytes <= maxBytes) return;
    // Too long already: only both ends are kept.
    const head = Buffer.concat(parts.slice(0, 1)).subarray(0, END_BYTES);
    tail = Buffer.concat([tail, part]).subarray(-END_BYTES);
    parts = [head];
  }

  function endLine(): void {
    const [lines, length, last] = [parts, bytes, tail];
    parts = [];
    bytes = 0;
    tail = Buffer.alloc(0);
    if (length > maxBytes) {
      handlers.onOversized(idIn(lines[0]?.toString('latin1') ?? '', last.toString('latin1')));
      return;
    }
    let line = lines.length === 1 && lines[0] ? lines[0] : Buffer.concat(lines);
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    if (waiting) waiting.push(line);
    else deliver(line);
  }

  function deliver(line: Buffer): void {
    if (line.length === 0) return;
    if (line.length > LARGE_BODY_BYTES) void deliverLarge(line);
    else deliverText(line.toString('utf8'));
  }

  function deliverText(text: string): void {
    let message: unknown;
    try {
      message = parseMessage(text);
    } catch {
      return handlers.onNoise(text.slice(0, MAX_NOISE_CHARS));
    }
    handlers.onMessage(message);
  }

  async function deliverLarge(line: Buffer): Promise<void> {
    waiting = [];
    try {
      const message = await parseLargeBody(line, newMark());
      handlers.onMessage(message);
    } catch (thrown) {
      const [head, end] = [line.subarray(0, END_BYTES), line.subarray(-END_BYTES)];
      if (thrown instanceof JsonTooComplexError) {
        handlers.onOversized(idIn(head.toString('latin1'), end.toString('latin1')));
      } else handlers.onNoise(head.toString('utf8').slice(0, MAX_NOISE_CHARS));
    }
    const next = waiting;
    waiting = undefined;
    for (const [index, each] of next.entries()) {
      deliver(each);
      // Set again by another large message.
      const more = waiting as Buffer[] | undefined;
      if (more) return void more.push(...next.slice(index + 1));
    }
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        endLine();
        from = at + 1;
      }
      take(from === 0 ? chunk : chunk.subarray(from));
    },
  };
}

const ID = /"id"\s*:\s*(\d{1,15})\s*[,}]/;

/** The id of a response, which is near its beginning or its end. */
function idIn(head: string, end: string): number | undefined {
  const found = ID.exec(head) ?? ID.exec(end);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
