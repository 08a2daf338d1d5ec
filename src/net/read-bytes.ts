import { CallError } from '#core/errors/call-error.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Reads a whole body; a longer one than the limit is refused. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  host: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new CallError('too_large', `${host} answers with more than ${maxBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks, size);
}

/** Decodes UTF-8 without the byte order mark. Invalid bytes become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  const marked = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', marked ? BYTE_ORDER_MARK.length : 0);
}
