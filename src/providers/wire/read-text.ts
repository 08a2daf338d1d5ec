import { StringDecoder } from 'node:string_decoder';
import { createJsonScan, type JsonLimits } from '#core/json-guard.ts';
import { tooManyBytes, tooMuchJson } from './json-limits.ts';

export interface TextLimits {
  /** As people know the vendor. */
  readonly title: string;
  readonly maxBytes: number;
  /** For JSON; without them any text will do. */
  readonly json?: JsonLimits;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A whole body as text, decoded and looked over piece by piece as it comes: what is beyond the limits is not read to its end. Throws
 * `bad_response`.
 */
export async function readText(
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
    if (scan?.push(text) === 'too_much') throw tooMuchJson(title);
    pieces.push(text);
  }
  pieces.push(decoder.end());
  const text = pieces.join('');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
