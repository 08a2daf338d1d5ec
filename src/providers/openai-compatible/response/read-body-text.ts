import { StringDecoder } from 'node:string_decoder';
import { CallError } from '#core/errors/call-error.ts';
import { ANSWER_LIMITS, createJsonScan, type JsonLimits } from '#core/json/json-guard.ts';

interface TextLimits {
  /** The vendor's name for messages. */
  readonly title: string;
  readonly maxBytes: number;
  /** Limits of JSON; absent for any text. */
  readonly json?: JsonLimits;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a whole body as text. The limits are checked while it arrives, so that larger bodies are
 * not read to the end. Throws `bad_response`.
 */
export async function readBodyText(
  body: AsyncIterable<Uint8Array>,
  { title, maxBytes, json }: TextLimits,
): Promise<string> {
  const decoder = new StringDecoder('utf8');
  const scan = json && createJsonScan(json);
  const pieces: string[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooManyBytes(title, maxBytes);
    const text = decoder.write(piece as Buffer);
    if (scan?.push(text) === 'too_much') throw jsonTooComplexError(title);
    pieces.push(text);
  }
  pieces.push(decoder.end());
  const text = pieces.join('');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Limits of JSON that is parsed in parts, such as a list of thousands of models or 64 vectors of
 * 12,000 numbers.
 */
export const LARGE_JSON_LIMITS: JsonLimits = { ...ANSWER_LIMITS, maxCost: 1_000_000 };

/**
 * Limit of lists and vectors: a string of this size is parsed within 40 ms, whatever it contains.
 */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Limit of a whole chat response, whose text has at most `MAX_ANSWER_CHARS`. */
export const MAX_CHAT_BYTES = 8 * 1024 * 1024;

export function jsonTooComplexError(title: string): CallError {
  const message = `The answer of ${title} is nested too deeply, or has too many members.`;
  return new CallError('bad_response', message, { retry: 'never' });
}

function tooManyBytes(title: string, maxBytes: number): CallError {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const message = `The answer of ${title} has more than ${megabytes} MB.`;
  return new CallError('bad_response', message, { retry: 'never' });
}
