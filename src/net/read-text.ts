import { CallError } from '#core/call-error.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The whole body; whoever sends more than the limit is cut off. */
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

/** Without its byte order mark. What is not UTF-8 becomes U+FFFD. */
export function toText(bytes: Uint8Array): string {
  const marked = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', marked ? BYTE_ORDER_MARK.length : 0);
}
